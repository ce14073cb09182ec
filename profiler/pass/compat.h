// What differs between the versions of LLVM the pass is compiled against.
#pragma once
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

namespace compat {

inline bool starts_with(llvm::StringRef text, llvm::StringRef prefix) { return text.substr(0, prefix.size()) == prefix; }

// Typed until 14, opaque by default from 15 on; both kinds of module are read by the same code.
inline llvm::PointerType *pointer_to(llvm::Type *type) {
#if LLVM_VERSION_MAJOR >= 17
  return llvm::PointerType::getUnqual(type->getContext());
#else
  return llvm::PointerType::getUnqual(type);
#endif
}

inline void move_before(llvm::Instruction *what, llvm::Instruction *where) {
#if LLVM_VERSION_MAJOR >= 20
  what->moveBefore(where->getIterator());
#else
  what->moveBefore(where);
#endif
}

inline bool is_presplit_coroutine(const llvm::Function &function) {
#if LLVM_VERSION_MAJOR >= 15
  return function.isPresplitCoroutine();
#else
  return function.hasFnAttribute("coroutine.presplit");
#endif
}

// The callback of the end of the pipeline has a third parameter from 20 on.
template <class Pass> void at_the_end(llvm::PassBuilder &builder) {
#if LLVM_VERSION_MAJOR >= 20
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager &passes, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
    passes.addPass(Pass());
  });
#elif LLVM_VERSION_MAJOR >= 14
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager &passes, llvm::OptimizationLevel) { passes.addPass(Pass()); });
#else
#error "LLVM 14 or newer"
#endif
}

} // namespace compat
