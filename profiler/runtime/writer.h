// JSON into a file that is open, without memory of the program's.
#pragma once
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace dse {

inline unsigned long long big(uint64_t value) { return value; }

class Writer {
public:
  explicit Writer(int file) : file(file) {}
  bool failed = false;

  void raw(const char *text, size_t length) {
    if (filled + length > sizeof buffer)
      flush();
    if (length > sizeof buffer) {
      put(text, length);
      return;
    }
    memcpy(buffer + filled, text, length);
    filled += length;
  }
  void raw(const char *text) { raw(text, strlen(text)); }

  void format(const char *form, ...) __attribute__((format(printf, 2, 3))) {
    char text[512];
    va_list rest;
    va_start(rest, form);
    const int length = vsnprintf(text, sizeof text, form, rest);
    va_end(rest);
    if (length > 0)
      raw(text, size_t(length) < sizeof text ? size_t(length) : sizeof text - 1);
  }

  void string(const char *text) {
    raw("\"", 1);
    for (; *text; ++text) {
      const unsigned char letter = static_cast<unsigned char>(*text);
      if (letter == '"' || letter == '\\')
        format("\\%c", letter);
      else if (letter < 32 || letter > 126) // bytes as they are may be no UTF-8
        format("\\u%04x", letter);
      else
        raw(text, 1);
    }
    raw("\"", 1);
  }

  void flush() {
    put(buffer, filled);
    filled = 0;
  }

private:
  int file;
  size_t filled = 0;
  static inline char buffer[8192]; // not on the stack, which a program may have made small; written under one lock

  void put(const char *text, size_t length) {
    while (length && !failed) {
      const ssize_t written = write(file, text, length);
      if (written < 0 && errno == EINTR)
        continue;
      failed = written <= 0;
      text += written > 0 ? written : 0;
      length -= written > 0 ? size_t(written) : 0;
    }
  }
};

struct Thread;

// What the engines found in a thread, as keys of its object.
void write_ilp(Writer &out, const Thread &thread);
void write_reuse(Writer &out, const Thread &thread);
void write_heat_maps(Writer &out, const Thread &thread);
void write_branches(Writer &out, const Thread &thread);

} // namespace dse
