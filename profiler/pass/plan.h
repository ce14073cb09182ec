// What the pass found out about a module, before a word of it is changed.
#pragma once
#include "../runtime/events.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include <string>
#include <vector>

struct Address {
  llvm::Instruction *before;
  llvm::Value *value;
};

struct Segment {
  llvm::Instruction *start;
  uint32_t flags = 0, block = 0, code = 0;
  uint64_t function = 0;
  std::vector<Address> addresses;
};

struct Plan {
  std::vector<Segment> segments;
  std::vector<uint32_t> code;
  std::vector<dse::FunctionEntry> functions;
  std::string names;
  llvm::StringMap<uint64_t> places;
  uint32_t static_instructions = 0;

  uint64_t name(llvm::StringRef text) {
    const auto found = places.try_emplace(text, names.size());
    if (found.second)
      names.append(text.data(), text.size()).push_back('\0');
    return found.first->second;
  }
};

// Writes the tables of the module, the stores of its segments, and the constructor that registers them.
void write_module(llvm::Module &module, const Plan &plan);
