// Threads and their buffers.
#include "limit.h"
#include "unnoticed.h"
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
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

void aim(Thread &thread) {
  Cursor &cursor = *thread.cursor;
  cursor.cur = thread.done = reinterpret_cast<uint64_t>(thread.buffer);
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
  thread->buffer = static_cast<uint64_t *>(take(kBufferWords * 8));
  thread->counts = static_cast<uint64_t *>(take(most_segments() * 8));
  if (!thread->buffer || !thread->counts)
    return nullptr;
  if (settings.ilp && !thread->ilp.start(settings.windows, settings.window_count, settings.conversions_fp))
    process.ilp_failed = true;
  thread->data.start(settings.lines, settings.reuse ? settings.line_count : 0, settings.reuse_rate);
  if ((settings.addresses && !thread->addresses.start()) || (settings.locality && !thread->locality.start()))
    return nullptr;
  thread->cursor = &__dse_cursor;
  aim(*thread);
  lock_threads();
  thread->number = process.thread_count++;
  thread->next = process.threads;
  process.threads = thread;
  unlock_threads();
  ask_at_thread_end(thread);
  return thread;
}

void hold(Thread &thread) {
  const timespec some = {0, 100000};
  while (__atomic_exchange_n(&thread.held, 1, __ATOMIC_SEQ_CST))
    nanosleep(&some, nullptr);
}
void let_go(Thread &thread) { __atomic_store_n(&thread.held, 0, __ATOMIC_SEQ_CST); }

// A handler of a signal that fills the buffer leaves it emptied to what it interrupted, which then goes on where it was:
// zeros between, and addresses without their segment. What is no segment is taken out; the new end.
const uint64_t *only_segments(uint64_t *word, const uint64_t *end) {
  uint64_t *kept = word;
  while (word < end) {
    const Descriptor *descriptor = known_descriptor(*word);
    const uint64_t words = descriptor ? 1 + descriptor->addresses : 1;
    if (descriptor && word + words <= end) {
      if (kept != word)
        memmove(kept, word, words * 8);
      kept += words;
    }
    word += words;
  }
  return kept;
}

// Before the last segment: a running thread may still be writing its addresses.
uint64_t last_begun(uint64_t from, uint64_t to) {
  uint64_t before = from;
  for (uint64_t at = from; at < to;) {
    before = at;
    const Descriptor *descriptor = known_descriptor(*reinterpret_cast<const uint64_t *>(at));
    at += descriptor ? 8 * (1 + descriptor->addresses) : 8;
  }
  return before;
}

void take_events(Thread &thread, uint64_t to) {
  uint64_t *from = reinterpret_cast<uint64_t *>(thread.done);
  const uint64_t *end = reinterpret_cast<const uint64_t *>(to);
  if (!process.outside)
    analyse(thread, from, handles_signals() ? only_segments(from, end) : end);
  thread.done = to;
}

void forget(Thread &thread) {
  memset(thread.counts, 0, segment_count() * 8);
  thread.instructions = thread.filled = thread.sampled_words = thread.bytes = thread.most_bytes = 0;
  thread.skipped = thread.branch_open = thread.strides_left_out = thread.strides_skipped = false;
  thread.ilp.forget();
  thread.data.forget();
  thread.code.forget();
  thread.addresses.forget();
  thread.locality.forget();
  thread.branches.forget();
  thread.local.forget();
}

// From the first region on only regions are recorded: what was before is forgotten, what lies between is not looked at.
// own: up to where the events of the calling thread lie before the edge.
void settle(Thread &thread, bool whole);
void edge(bool on, uint64_t own) {
  lock_threads();
  for (Thread *thread = process.threads; thread; thread = thread->next) {
    hold(*thread);
    if (thread != mine)
      settle(*thread, false);
    else if (own >= thread->done && own - reinterpret_cast<uint64_t>(thread->buffer) <= kBufferWords * 8)
      take_events(*thread, own);
    if (on && !process.region_began)
      forget(*thread);
    thread->branch_open = false; // its outcome lies beyond the edge
    let_go(*thread);
  }
  process.region_began |= on;
  process.regions += on;
  process.outside = !on;
  unlock_threads();
}

void entered(uint64_t own) {
  if (!__atomic_fetch_add(&process.inside, 1, __ATOMIC_SEQ_CST))
    edge(true, own);
}

void left(uint64_t own) {
  if (!__atomic_sub_fetch(&process.inside, 1, __ATOMIC_SEQ_CST))
    edge(false, own);
}

// The segment that enters the watched function is the first of a region, the one that returns from it the last. Where the
// caller is instrumented the region begins with the call: before its first segment ends, another thread may already run.
void watch(Thread &thread) {
  const uint64_t at = thread.written, end = thread.cursor->cur;
  if (!at || end <= at)
    return;
  thread.written = 0;
  const Descriptor *descriptor = known_descriptor(*reinterpret_cast<const uint64_t *>(at));
  const Segment *segment = descriptor ? &segment_of(descriptor->id) : nullptr;
  const bool here = segment && segment->watched;
  const bool began = thread.calling;
  thread.calling = false;
  if (here && descriptor->flags & kEntry) {
    if (!thread.calls++ && !began)
      entered(at);
  } else if (began && !thread.calls) {
    left(at); // what was called has the name, and is another one
  }
  if (here && descriptor->flags & kRet && thread.calls && !--thread.calls)
    left(end);
  if (segment && segment->calls_it) {
    thread.calling = true;
    if (!thread.calls)
      entered(end);
  }
}

// While a function is watched there is never room for more than one segment, so that each is seen as it is written.
uint64_t room_for_one(Thread &thread, uint64_t bytes) {
  Cursor &cursor = *thread.cursor;
  thread.written = cursor.cur;
  cursor.end = cursor.cur + bytes;
  return cursor.cur;
}

// Whether nothing is to be done before the next segment, which is so for almost all of them.
bool goes_on(const Thread &thread, uint64_t bytes) {
  const uint64_t begin = reinterpret_cast<uint64_t>(thread.buffer), cur = thread.cursor->cur;
  if (process.signal || process.closing || cur - begin > kBufferWords * 8 - bytes)
    return false;
  if (!thread.written || cur <= thread.written)
    return true;
  const Descriptor *descriptor = known_descriptor(*reinterpret_cast<const uint64_t *>(thread.written));
  return !thread.calling && (!descriptor || !(segment_of(descriptor->id).watched || segment_of(descriptor->id).calls_it));
}

// Takes what a thread wrote up to now, as far as it may be looked at.
void settle(Thread &thread, bool whole) {
  if (!thread.cursor)
    return;
  uint64_t to = __atomic_load_n(&thread.cursor->cur, __ATOMIC_ACQUIRE);
  const uint64_t begin = reinterpret_cast<uint64_t>(thread.buffer);
  if (to < thread.done || to > begin + kBufferWords * 8)
    return; // its events go nowhere any more
  take_events(thread, whole ? to : last_begun(thread.done, to));
}

// Analyses what the calling thread wrote since the last time, unless its events go nowhere any more.
void drain(Thread &thread) {
  hold(thread);
  if (thread.cursor->cur - reinterpret_cast<uint64_t>(thread.buffer) <= kBufferWords * 8) {
    take_events(thread, thread.cursor->cur);
    thread.filled += !process.outside;
    keep_below_limit(thread);
    memset(thread.buffer, 0, kBufferWords * 8); // what only_segments relies on
    aim(thread);
  }
  let_go(thread);
}

// Writing takes some pages of a stack, and the program may be on a small one: of a handler, or one it made itself.
constexpr size_t kStackBytes = 1 << 18;
ucontext_t here, there;
const char *why;
void write_there() { write_record(why); }

void on_own_stack(const char *partial) {
  static void *stack;
  if (!stack)
    stack = take(kStackBytes);
  why = partial;
  if (!stack || getcontext(&there)) {
    write_record(partial);
    return;
  }
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = kStackBytes;
  there.uc_link = &here;
  makecontext(&there, write_there, 0);
  swapcontext(&here, &there);
}

} // namespace

Thread *this_thread() { return mine; }
void lock_threads() { pthread_mutex_lock(&lock); }
void unlock_threads() { pthread_mutex_unlock(&lock); }

void look_at_last_segment() {
  if (mine && mine->cursor && process.settings.from)
    watch(*mine);
}

void take_own_events() {
  look_at_last_segment();
  if (mine)
    drain(*mine);
}

void write_all(const char *partial) {
  lock_threads();
  for (Thread *thread = process.threads; thread; thread = thread->next) {
    hold(*thread);
    settle(*thread, !partial || process.closing || thread == mine);
  }
  on_own_stack(partial);
  for (Thread *thread = process.threads; thread; thread = thread->next)
    let_go(*thread);
  unlock_threads();
}

void forget_other_threads() {
  lock = PTHREAD_MUTEX_INITIALIZER;
  process.threads = nullptr;
  process.thread_count = 0;
  Thread *thread = mine;
  if (!thread)
    return;
  thread->next = nullptr;
  thread->number = process.thread_count++;
  process.threads = thread;
  process.inside = thread->calls || thread->calling;
  process.outside = process.settings.from ? !process.inside : process.outside;
  forget(*thread);
}

void leave_thread() {
  if (process.settings.from) { // it may have left the function without returning from it
    if (mine->calls || mine->calling)
      left(mine->done);
    mine->calls = mine->calling = 0;
  }
  lock_threads();
  mine->cursor = nullptr;
  unlock_threads();
  mine = nullptr;
  ended = true;
  aim_nowhere();
}

} // namespace dse

EXPORTED void __dse_register_v2(dse::ModuleTable *table) {
  using namespace dse;
  static bool started;
  Unnoticed now;
  lock_threads();
  const bool first = !started;
  started = true;
  if (first)
    start();
  if (process.settings.folder && !add_module(table, process.settings.from)) {
    process.settings.folder = nullptr;
    static const char text[] = "dse: no memory for the tables of the profiler; nothing is measured\n";
    if (write(2, text, sizeof text - 1) < 0)
      process.closing = true;
  }
  unlock_threads();
}

// Marks of the program count where no function was named.
EXPORTED void __dse_region(int on) {
  using namespace dse;
  if (!process.settings.folder || process.closing || process.pid != getpid() || process.settings.from)
    return;
  Unnoticed now;
  edge(on, mine && mine->cursor ? mine->cursor->cur : 0);
}

// For the wrapper of MPI: whether the calling thread's last segment leaves the process in the watched function; -1 where
// none is watched.
EXPORTED int __dse_inside() {
  using namespace dse;
  if (!process.settings.folder || !process.settings.from)
    return -1;
  if (!process.closing && process.pid == getpid()) {
    Unnoticed now;
    look_at_last_segment();
  }
  return !process.outside;
}

// The number of the calling thread in the record, for the wrapper of MPI; 0 before its first event.
EXPORTED int __dse_thread() { return dse::mine ? dse::mine->number : 0; }

// Room for a segment of so many bytes: the place to write it to.
EXPORTED uint64_t __dse_flush(uint64_t bytes) {
  using namespace dse;
  const bool watching = process.settings.from;
  if (watching && mine && !ended && goes_on(*mine, bytes))
    return room_for_one(*mine, bytes);
  if (!process.settings.folder || process.closing || ended) {
    aim_nowhere();
    return __dse_cursor.cur;
  }
  Unnoticed now;
  if (mine) {
    look_at_last_segment();
    if (!watching || !goes_on(*mine, bytes))
      drain(*mine);
  } else if (!(mine = attach())) {
    ended = true;
    static const char text[] = "dse: no memory to measure a thread; it is left out of the profile\n";
    if (write(2, text, sizeof text - 1) < 0)
      ended = true;
  }
  if (process.signal)
    answer_signal();
  if (process.closing || ended)
    aim_nowhere();
  else if (watching)
    return room_for_one(*mine, bytes);
  return __dse_cursor.cur;
}

// Before the program leaves without its exit handlers: the record is written, and again if it comes back.
EXPORTED void __dse_leave() {
  using namespace dse;
  if (!process.settings.folder || process.closing || process.pid != getpid())
    return;
  Unnoticed now;
  now.too_large = true;
  take_own_events();
  write_all(nullptr);
}
