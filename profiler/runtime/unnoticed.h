// While one of these lives, the program cannot notice the runtime at work, nor disturb it.
#pragma once
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace dse {

// No handler of a signal and no cancellation comes in between; errno and, on x86, the state of floating-point arithmetic
// (rounding, traps, flags) are afterwards what they were before.
class Unnoticed {
public:
  Unnoticed() : error(errno) {
    sigset_t all;
    sigfillset(&all);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}; // of the runtime itself
    for (const int fault : faults)
      sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &signals);
    // The type too: glibc may have decided to cancel at once just before, and asks for the type alone when it does.
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
#ifdef __SSE__
    arithmetic = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80); // nearest, no traps
#endif
  }
  ~Unnoticed() {
#ifdef __SSE__
    __builtin_ia32_ldmxcsr(arithmetic);
#endif
    // A file that grew too large for its limit raised a signal that is not the program's.
    if (too_large && !sigismember(&signals, SIGXFSZ)) {
      sigset_t one;
      sigemptyset(&one);
      sigaddset(&one, SIGXFSZ);
      const timespec now = {};
      sigtimedwait(&one, nullptr, &now);
    }
    pthread_sigmask(SIG_SETMASK, &signals, nullptr);
    errno = error;
    pthread_setcancelstate(cancellation, nullptr);
    pthread_setcanceltype(type, nullptr);
  }
  Unnoticed(const Unnoticed &) = delete;
  Unnoticed &operator=(const Unnoticed &) = delete;
  bool too_large = false; // a file may have been

private:
  int error, type, cancellation;
  unsigned arithmetic;
  sigset_t signals;
};

} // namespace dse
