// Threads, buffers, and the life of the process.
#include "limit.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED extern "C" __attribute__((visibility("default")))

// No object here has a constructor or destructor: the program's run before and after the runtime's would.
extern "C" {
__thread dse::Cursor __dse_cursor __attribute__((visibility("default"), tls_model("initial-exec")));
}

namespace dse {

Process process;

namespace {

__thread Thread *mine __attribute__((tls_model("initial-exec")));
__thread bool ended __attribute__((tls_model("initial-exec")));
uint64_t thrown_away[kBufferWords]; // written by all, read by none
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_key_t key;

void aim(Thread &thread, int buffer) {
  Cursor &cursor = *thread.cursor;
  thread.active = buffer;
  cursor.cur = thread.done = reinterpret_cast<uint64_t>(thread.buffers[buffer]);
  cursor.end = cursor.cur + kBufferWords * 8;
}

// Where the events go that nobody is to see.
void aim_nowhere() {
  __dse_cursor.cur = reinterpret_cast<uint64_t>(thrown_away);
  __dse_cursor.end = __dse_cursor.cur + sizeof thrown_away;
}

Thread *attach() {
  Thread *thread = static_cast<Thread *>(take(sizeof(Thread)));
  if (!thread)
    return nullptr;
  const Settings &settings = process.settings;
  for (uint64_t *&buffer : thread->buffers)
    buffer = static_cast<uint64_t *>(take(kBufferWords * 8));
  thread->counts = static_cast<uint64_t *>(take(kMostSegments * 8));
  if (!thread->buffers[0] || !thread->buffers[1] || !thread->counts)
    return nullptr;
  if (settings.ilp && !thread->ilp.start(settings.windows, settings.window_count, settings.conversions_fp))
    process.ilp_failed = true;
  thread->data.start(settings.lines, settings.reuse ? settings.line_count : 0, settings.reuse_rate);
  thread->cursor = &__dse_cursor;
  pthread_mutex_lock(&lock);
  thread->number = process.thread_count++;
  thread->next = process.threads;
  process.threads = thread;
  pthread_mutex_unlock(&lock);
  pthread_setspecific(key, thread);
  return thread;
}

// Analyses what the calling thread wrote since the last time; its next events go to the other buffer meanwhile.
void drain(Thread &thread) {
  const uint64_t from = thread.done, to = thread.cursor->cur;
  aim(thread, 1 - thread.active);
  thread.busy = true;
  analyse(thread, reinterpret_cast<const uint64_t *>(from), reinterpret_cast<const uint64_t *>(to));
  ++thread.filled;
  keep_below_limit(thread);
  thread.busy = false;
}

void write_all(const char *partial) {
  pthread_mutex_lock(&lock);
  for (Thread *thread = process.threads; thread; thread = thread->next)
    if (thread->cursor && !thread->busy) {
      const uint64_t to = thread->cursor->cur, begin = reinterpret_cast<uint64_t>(thread->buffers[thread->active]);
      if (to < thread->done || to > begin + kBufferWords * 8)
        continue; // it is between two buffers this very moment
      analyse(*thread, reinterpret_cast<const uint64_t *>(thread->done), reinterpret_cast<const uint64_t *>(to));
      thread->done = to;
    }
  write_record(partial);
  pthread_mutex_unlock(&lock);
}

void at_exit() {
  if (process.pid != getpid())
    return;
  process.closing = true;
  write_all(nullptr);
}

void at_thread_end(void *) {
  Thread *thread = mine;
  if (!thread || process.closing)
    return;
  drain(*thread);
  if (++thread->ends < 3) {
    pthread_setspecific(key, thread); // destructors that run later are counted too
    return;
  }
  pthread_mutex_lock(&lock);
  thread->cursor = nullptr;
  pthread_mutex_unlock(&lock);
  mine = nullptr;
  ended = true;
  aim_nowhere();
}

void before_fork() {
  if (mine && !mine->busy)
    drain(*mine);
  pthread_mutex_lock(&lock);
}

void in_parent() { pthread_mutex_unlock(&lock); }

void in_child() {
  pthread_mutex_unlock(&lock);
  process.threads = nullptr;
  process.thread_count = 0;
  process.parent = process.pid;
  process.pid = getpid();
  process.forked = true;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  process.start_ns = uint64_t(now.tv_sec) * 1000000000u + uint64_t(now.tv_nsec);
  Thread *thread = mine;
  if (!thread)
    return;
  thread->next = nullptr;
  thread->number = process.thread_count++;
  process.threads = thread;
  memset(thread->counts, 0, segment_count() * 8);
  thread->instructions = thread->filled = thread->sampled_words = thread->bytes = thread->most_bytes = 0;
  thread->skipped = thread->branch_open = false;
  thread->ilp.forget();
  thread->data.forget();
  thread->code.forget();
  thread->branches.forget();
  thread->local.forget();
}

void on_signal(int number) {
  if (process.signal == number && number != SIGUSR1) { // asked twice, and no segment ended in between
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  process.signal = number;
  if (mine)
    __dse_cursor.end = 0; // the thread's next segment comes to the runtime
}

void answer_signal() {
  const int number = process.signal;
  process.signal = 0;
  if (!number)
    return;
  uint64_t instructions = 0;
  for (Thread *thread = process.threads; thread; thread = thread->next)
    instructions += thread->instructions;
  char text[160];
  snprintf(text, sizeof text, "%s by SIG%s after %llu instructions", number == SIGUSR1 ? "asked for" : "ended", sigabbrev_np(number),
           static_cast<unsigned long long>(instructions));
  if (number != SIGUSR1)
    process.closing = true;
  write_all(text);
  if (number == SIGUSR1)
    return;
  signal(number, SIG_DFL);
  raise(number);
}

void start() {
  read_settings(process.settings);
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  process.start_ns = uint64_t(now.tv_sec) * 1000000000u + uint64_t(now.tv_nsec);
  process.pid = getpid();
  process.parent = getppid();
  if (!process.settings.folder)
    return;
  pthread_key_create(&key, at_thread_end);
  atexit(at_exit);
  pthread_atfork(before_fork, in_parent, in_child);
  static const int answered[] = {SIGTERM, SIGINT, SIGXCPU, SIGUSR1};
  for (const int number : answered) {
    struct sigaction now_set, wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.sa_handler = on_signal;
    wanted.sa_flags = SA_RESTART;
    if (!sigaction(number, nullptr, &now_set) && now_set.sa_handler == SIG_DFL)
      sigaction(number, &wanted, nullptr);
  }
}

} // namespace
} // namespace dse

EXPORTED void __dse_register_v1(dse::ModuleTable *table) {
  static bool started;
  pthread_mutex_lock(&dse::lock);
  const bool first = !started;
  started = true;
  dse::add_module(table);
  pthread_mutex_unlock(&dse::lock);
  if (first)
    dse::start();
}

// The number of the calling thread in the record, for the wrapper of MPI; 0 before its first event.
EXPORTED int __dse_thread() { return dse::mine ? dse::mine->number : 0; }

// Room for a segment of so many bytes: the place to write it to.
EXPORTED uint64_t __dse_flush(uint64_t bytes) {
  using namespace dse;
  if (!process.settings.folder || process.closing || ended) {
    aim_nowhere();
    return __dse_cursor.cur;
  }
  Thread *thread = mine;
  if (!thread) {
    thread = mine = attach();
    if (!thread) {
      ended = true;
      aim_nowhere();
      return __dse_cursor.cur;
    }
    aim(*thread, 0);
  } else if (thread->busy) {
    aim_nowhere(); // a handler filled a buffer while the other one is analysed
    return __dse_cursor.cur;
  } else {
    drain(*thread);
  }
  if (process.signal)
    answer_signal();
  if (process.closing)
    aim_nowhere();
  return __dse_cursor.cur;
}

// Before the program leaves without its exit handlers: the record is written, and again if it comes back.
EXPORTED void __dse_leave() {
  using namespace dse;
  if (!process.settings.folder || process.closing || process.pid != getpid())
    return;
  if (mine && !mine->busy)
    drain(*mine);
  write_all(nullptr);
}
