#include "settings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace dse {
namespace {

void refuse(const char *name, const char *value, const char *allowed) {
  char text[512];
  const int length = snprintf(text, sizeof text, "dse: %s=%s is not understood (%s); the default is taken\n", name, value, allowed);
  if (length > 0 && write(2, text, size_t(length) < sizeof text ? size_t(length) : sizeof text - 1) < 0)
    return;
}

// Calls take(word) for each word between commas.
template <class Take> bool each(const char *text, Take take) {
  while (*text) {
    const size_t length = strcspn(text, ",");
    char word[64];
    if (!length || length >= sizeof word)
      return false;
    memcpy(word, text, length);
    word[length] = 0;
    if (!take(word))
      return false;
    text += length + (text[length] == ',');
  }
  return true;
}

bool read_windows(Settings &settings, const char *text) {
  int count = 0;
  Window windows[kLanes];
  const bool right = each(text, [&](const char *word) {
    if (count == kLanes)
      return false;
    char *rest;
    const bool waits = !strcmp(word, "base-wait"), serial = waits || !strcmp(word, "base"), unbounded = !strcmp(word, "inf") || !strcmp(word, "io") || serial;
    const long size = unbounded ? 0 : strtol(word, &rest, 10);
    if (!unbounded && (rest == word || *rest || size < 1 || size > 65536))
      return false;
    windows[count++] = {uint32_t(size), !strcmp(word, "io"), serial, waits};
    return true;
  });
  if (!right || !count)
    return false;
  memcpy(settings.windows, windows, sizeof windows);
  settings.window_count = count;
  return true;
}

bool read_lines(Settings &settings, const char *text) {
  int count = 0;
  uint32_t lines[kMostLines];
  const bool right = each(text, [&](const char *word) {
    char *rest;
    const long size = strtol(word, &rest, 10);
    if (count == kMostLines || *rest || size < 8 || size > 4096 || (size & (size - 1)))
      return false;
    lines[count++] = uint32_t(size);
    return true;
  });
  if (!right || !count)
    return false;
  memcpy(settings.lines, lines, sizeof lines);
  settings.line_count = count;
  return true;
}

bool read_metrics(Settings &settings, const char *text) {
  bool found[5] = {};
  static const char *const names[] = {"mix", "ilp", "reuse", "branches", "footprint"};
  const bool right = each(text, [&](const char *word) {
    for (int index = 0; index < 5; ++index)
      if (!strcmp(word, names[index]))
        return found[index] = true;
    return false;
  });
  if (!right)
    return false;
  settings.mix = true;
  settings.ilp = found[1];
  settings.reuse = found[2];
  settings.branches = found[3];
  settings.footprint = found[4];
  return true;
}

bool read_heat_maps(Settings &settings, const char *text) {
  bool addresses = false, locality = false;
  const bool right = !strcmp(text, "none") || each(text, [&](const char *word) {
    if (!strcmp(word, "addresses"))
      return addresses = true;
    return !strcmp(word, "locality") && (locality = true);
  });
  if (!right)
    return false;
  settings.addresses = addresses;
  settings.locality = locality;
  return true;
}

bool read_sample(Settings &settings, const char *text) {
  uint32_t bursts = 1;
  double rate = 1;
  if (strcmp(text, "none") != 0) {
    const bool right = each(text, [&](const char *word) {
      char *rest;
      if (!strncmp(word, "ilp=", 4)) {
        const long value = strtol(word + 4, &rest, 10);
        bursts = uint32_t(value);
        return rest != word + 4 && !*rest && value >= 1 && value <= 1000000;
      }
      if (!strncmp(word, "reuse=", 6)) {
        rate = strtod(word + 6, &rest);
        return rest != word + 6 && !*rest && rate > 0 && rate <= 1;
      }
      return false;
    });
    if (!right)
      return false;
  }
  settings.bursts = bursts;
  settings.reuse_rate = rate;
  return true;
}

bool read_bytes(uint64_t &bytes, const char *text) {
  char *rest;
  const unsigned long long value = strtoull(text, &rest, 10);
  if (*text < '1' || *text > '9' || *rest)
    return false;
  bytes = value;
  return true;
}

} // namespace

void read_settings(Settings &settings) {
  settings.folder = getenv("DSE_PROFILE_DIR");
  if (settings.folder && !*settings.folder)
    settings.folder = nullptr;
  read_windows(settings, "32,64,128,inf");
  read_lines(settings, "64,128");
  read_metrics(settings, "mix,ilp,reuse,branches,footprint");
  read_sample(settings, "ilp=10");
  settings.block_copies = true;
  settings.memory_limit = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE)) / 2;
  if (!settings.folder)
    return;
  const auto option = [&](const char *name, const char *allowed, auto read) {
    const char *value = getenv(name);
    if (value && *value && !read(value))
      refuse(name, value, allowed);
  };
  option("DSE_PROFILE_WINDOWS", "up to 4 of 1 to 65536, inf, io, base, base-wait", [&](const char *text) { return read_windows(settings, text); });
  option("DSE_PROFILE_LINES", "up to 4 powers of two from 8 to 4096", [&](const char *text) { return read_lines(settings, text); });
  option("DSE_PROFILE_METRICS", "mix, ilp, reuse, branches, footprint", [&](const char *text) { return read_metrics(settings, text); });
  option("DSE_PROFILE_HEATMAP", "none, addresses, locality", [&](const char *text) { return read_heat_maps(settings, text); });
  option("DSE_PROFILE_SAMPLE", "default, none, ilp=N, reuse=RATE",
         [&](const char *text) { return !strcmp(text, "default") || read_sample(settings, text); });
  option("DSE_PROFILE_MEMORY_LIMIT", "a whole number of bytes", [&](const char *text) { return read_bytes(settings.memory_limit, text); });
  const auto choice = [&](const char *name, const char *allowed, const char *plain, const char *other, bool &is_other) {
    option(name, allowed, [&](const char *text) {
      is_other = !strcmp(text, other);
      return is_other || !strcmp(text, plain);
    });
  };
  choice("DSE_PROFILE_BRANCHES", "all, conditional", "all", "conditional", settings.conditional_only);
  choice("DSE_PROFILE_CONVERSIONS", "int, thesis", "int", "thesis", settings.conversions_fp);
  option("DSE_PROFILE_FROM", "the name of a function, up to 255 letters", [&](const char *text) {
    static char name[256]; // the program may change its environment
    if (strlen(text) >= sizeof name)
      return false;
    settings.from = strcpy(name, text);
    return true;
  });
  bool none = false;
  choice("DSE_PROFILE_BLOCK_COPIES", "lines, none", "lines", "none", none);
  settings.block_copies = !none;
  if (settings.bursts > 1) { // cycles of an unbounded window mean nothing where buffers are left out
    int kept = 0;
    for (int index = 0; index < settings.window_count; ++index)
      if (settings.windows[index].size)
        settings.windows[kept++] = settings.windows[index];
    settings.window_count = kept;
    settings.ilp = settings.ilp && kept;
  }
}

} // namespace dse
