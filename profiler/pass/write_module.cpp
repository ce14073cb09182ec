#include "compat.h"
#include "plan.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include <cstdlib>
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace dse;

namespace {

bool leaves_the_program(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return false;
  for (const char *name : {"_exit", "_Exit", "quick_exit", "execl", "execlp", "execle", "execv", "execvp", "execvpe", "execve",
                           "fexecve", "execveat"})
    if (callee->getName() == name)
      return true;
  return false;
}

class ModuleWriter {
public:
  ModuleWriter(Module &module, const Plan &plan)
      : module(module), plan(plan), context(module.getContext()), i32(Type::getInt32Ty(context)), i64(Type::getInt64Ty(context)),
        pointer(compat::pointer_to(Type::getInt8Ty(context))) {}

  void write() {
    std::vector<CallBase *> leaving;
    for (Function &function : module)
      for (BasicBlock &block : function)
        for (Instruction &inst : block)
          if (auto *call = dyn_cast<CallBase>(&inst))
            if (leaves_the_program(*call))
              leaving.push_back(call);
    Type *nothing = Type::getVoidTy(context);
    flush = module.getOrInsertFunction("__dse_flush", FunctionType::get(i64, {i64}, false));
    cast<Function>(flush.getCallee())->setDoesNotThrow();
    cast<Function>(flush.getCallee())->addFnAttr(Attribute::Cold);
    cursor_type = StructType::get(i64, i64);
    cursor = cast<GlobalVariable>(module.getOrInsertGlobal("__dse_cursor", cursor_type));
    cursor->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
    segment_type = StructType::get(i32, i32, i32, i32, i64, pointer);
    tables();
    for (uint32_t index = 0; index < plan.segments.size(); ++index)
      instrument(plan.segments[index], index);
    const FunctionCallee leave = module.getOrInsertFunction("__dse_leave", FunctionType::get(nothing, false));
    for (CallBase *call : leaving)
      IRBuilder<>(call).CreateCall(leave);
    constructor();
  }

private:
  Module &module;
  const Plan &plan;
  LLVMContext &context;
  Type *i32, *i64;
  PointerType *pointer;
  StructType *cursor_type = nullptr, *segment_type = nullptr;
  GlobalVariable *cursor = nullptr, *segments = nullptr, *functions = nullptr, *names = nullptr;
  FunctionCallee flush;

  GlobalVariable *global(Constant *value, bool constant, const char *name) {
    return new GlobalVariable(module, value->getType(), constant, GlobalValue::PrivateLinkage, value, name);
  }

  Constant *as_pointer(Constant *value) { return ConstantExpr::getPointerCast(value, pointer); }

  void tables() {
    GlobalVariable *code = global(ConstantDataArray::get(context, ArrayRef<uint32_t>(plan.code)), true, "dse.code");
    names = global(ConstantDataArray::getString(context, plan.names, true), true, "dse.names");
    std::vector<uint64_t> entries;
    for (const FunctionEntry &entry : plan.functions) {
      entries.push_back(entry.hash);
      entries.push_back(entry.name);
    }
    functions = global(ConstantDataArray::get(context, ArrayRef<uint64_t>(entries)), true, "dse.functions");
    std::vector<Constant *> rows;
    for (const Segment &segment : plan.segments) {
      Constant *first = ConstantExpr::getGetElementPtr(code->getValueType(), code,
                                                       ArrayRef<Constant *>{ConstantInt::get(i64, 0), ConstantInt::get(i64, segment.code)});
      rows.push_back(ConstantStruct::get(segment_type, {ConstantInt::get(i32, 0), ConstantInt::get(i32, segment.flags),
                                                        ConstantInt::get(i32, segment.addresses.size()), ConstantInt::get(i32, segment.block),
                                                        ConstantInt::get(i64, segment.function), as_pointer(first)}));
    }
    segments = global(ConstantArray::get(ArrayType::get(segment_type, rows.size()), rows), false, "dse.segments");
  }

  void instrument(const Segment &segment, uint32_t index) {
    Instruction *start = segment.start;
    IRBuilder<> at(start);
    const uint64_t bytes = 8 * (1 + segment.addresses.size());
    Value *cur = at.CreateStructGEP(cursor_type, cursor, 0);
    Value *place = at.CreateLoad(i64, cur);
    Value *end = at.CreateLoad(i64, at.CreateStructGEP(cursor_type, cursor, 1));
    Value *full = at.CreateICmpUGT(at.CreateAdd(place, ConstantInt::get(i64, bytes)), end);
    BasicBlock *before = start->getParent();
    Instruction *rare = SplitBlockAndInsertIfThen(full, start, false, MDBuilder(context).createBranchWeights(1, 100000));
    CallInst *flushed = IRBuilder<>(rare).CreateCall(flush, {ConstantInt::get(i64, bytes)});
    at.SetInsertPoint(&*start->getParent()->begin());
    PHINode *here = at.CreatePHI(i64, 2);
    here->addIncoming(place, before);
    here->addIncoming(flushed, rare->getParent());
    at.SetInsertPoint(start);
    PointerType *word = compat::pointer_to(i64);
    Constant *row = ConstantExpr::getGetElementPtr(segments->getValueType(), segments,
                                                   ArrayRef<Constant *>{ConstantInt::get(i64, 0), ConstantInt::get(i64, index)});
    at.CreateStore(ConstantExpr::getPtrToInt(row, i64), at.CreateIntToPtr(here, word));
    at.CreateStore(at.CreateAdd(here, ConstantInt::get(i64, bytes)), at.CreateStructGEP(cursor_type, cursor, 0));
    uint64_t slot = 0;
    for (const Address &address : segment.addresses) {
      slot += 8;
      if (address.before)
        at.SetInsertPoint(address.before);
      Value *value = address.value;
      value = value->getType()->isPointerTy() ? at.CreatePtrToInt(value, i64) : at.CreateZExtOrTrunc(value, i64);
      at.CreateStore(value, at.CreateIntToPtr(at.CreateAdd(here, ConstantInt::get(i64, slot)), word));
    }
  }

  void constructor() {
    Constant *compiler = global(ConstantDataArray::getString(context, LLVM_VERSION_STRING, true), true, "dse.compiler");
    // The wrapper tells them, as no pass can ask for the arguments of its compiler.
    const char *given = std::getenv("DSE_COMPILE_FLAGS");
    Constant *flags = global(ConstantDataArray::getString(context, given ? given : "", true), true, "dse.flags");
    Constant *row = ConstantStruct::getAnon({as_pointer(segments), ConstantInt::get(i64, plan.segments.size()), as_pointer(functions),
                                             ConstantInt::get(i64, plan.functions.size()), as_pointer(names),
                                             ConstantInt::get(i64, plan.static_instructions), as_pointer(compiler), as_pointer(flags)});
    GlobalVariable *table = global(row, false, "dse.module");
    Type *nothing = Type::getVoidTy(context);
    const FunctionCallee enter = module.getOrInsertFunction(DSE_REGISTER, FunctionType::get(nothing, {pointer}, false));
    Function *start = Function::Create(FunctionType::get(nothing, false), GlobalValue::InternalLinkage, "__dse_start_module", module);
    IRBuilder<> at(BasicBlock::Create(context, "", start));
    at.CreateCall(enter, {as_pointer(table)});
    at.CreateRetVoid();
    appendToGlobalCtors(module, start, 0);
  }
};

} // namespace

void write_module(Module &module, const Plan &plan) { ModuleWriter(module, plan).write(); }
