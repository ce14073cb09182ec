// The life of the process: its start, signals, forks, ends of threads, and its end.
#include "threads.h"
#include "unnoticed.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern "C" int __cxa_atexit(void (*)(void *), void *, void *);

namespace dse {

void leave_thread();

namespace {

pthread_key_t key;
sigset_t signals_before_fork;

void set_start() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  process.start_ns = uint64_t(now.tv_sec) * 1000000000u + uint64_t(now.tv_nsec);
}

void at_exit(void *) {
  if (process.pid != getpid())
    return;
  Unnoticed now;
  now.too_large = true;
  look_at_last_segment();
  process.closing = true;
  write_all(nullptr);
}

void at_thread_end(void *) {
  Thread *thread = this_thread();
  if (!thread)
    return;
  Unnoticed now;
  take_own_events();
  if (++thread->ends < 3 && !process.closing)
    pthread_setspecific(key, thread); // destructors that run later are counted too
  else
    leave_thread();
}

// No handler may run while the lock is held: it could come to the runtime, and wait for it.
void before_fork() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  take_own_events();
  lock_threads();
  signals_before_fork = before;
}

void in_parent() {
  const sigset_t before = signals_before_fork;
  unlock_threads();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void in_child() {
  after_fork();
  process.parent = process.pid;
  process.pid = getpid();
  process.forked = true;
  process.signal = 0;
  set_start();
  forget_other_threads();
  pthread_sigmask(SIG_SETMASK, &signals_before_fork, nullptr);
}

// Each thread comes to the runtime with its next segment: one of them may wait for long.
void on_signal(int number) {
  if (process.signal == number && number != SIGUSR1) { // asked twice, and no segment ended in between
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  process.signal = number;
  for (Thread *thread = process.threads; thread; thread = thread->next)
    if (Cursor *cursor = thread->cursor)
      cursor->end = 0;
}

void answer(int number) {
  struct sigaction now_set, wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.sa_handler = on_signal;
  // A call that waits ends, where the program is to end; else it is begun again.
  wanted.sa_flags = number == SIGUSR1 ? SA_RESTART : 0;
  if (!sigaction(number, nullptr, &now_set) && !(now_set.sa_flags & SA_SIGINFO) && now_set.sa_handler == SIG_DFL)
    sigaction(number, &wanted, nullptr);
}

// Its own copy of the path, from the root: the program may change its folder and its environment.
void keep_folder() {
  static char path[PATH_MAX];
  const char *given = process.settings.folder;
  if (realpath(given, path))
    process.settings.folder = path;
  else if (strlen(given) < sizeof path) // the record will say what is wrong with it
    process.settings.folder = strcpy(path, given);
}

} // namespace

bool handles_signals() {
  static bool found;
  for (int number = 1; !found && number < NSIG; ++number) {
    struct sigaction now;
    found = !sigaction(number, nullptr, &now) &&
            ((now.sa_flags & SA_SIGINFO) || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN && now.sa_handler != on_signal));
  }
  return found;
}

void ask_at_thread_end(Thread *thread) {
  pthread_setspecific(key, thread);
}

void answer_signal() {
  const int number = __atomic_exchange_n(&process.signal, 0, __ATOMIC_SEQ_CST);
  if (!number)
    return;
  Unnoticed now;
  now.too_large = true;
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
  kill(process.pid, number); // this thread may have blocked it
}

void start() {
  read_settings(process.settings);
  set_start();
  process.pid = getpid();
  process.parent = getppid();
  if (!process.settings.folder)
    return;
  keep_folder();
  process.outside = process.settings.from;
  if (pthread_key_create(&key, at_thread_end)) { // who could not be told of ends of threads would read what is gone
    process.settings.folder = nullptr;
    return;
  }
  // Of no library: else the handler would run when the program's own destructors are done, before those of libraries.
  __cxa_atexit(at_exit, nullptr, nullptr);
  pthread_atfork(before_fork, in_parent, in_child);
  static const int answered[] = {SIGTERM, SIGINT, SIGXCPU, SIGUSR1};
  for (const int number : answered)
    answer(number);
}

} // namespace dse
