// The pass: describes the segments of every function and makes the program write which of them it runs.
#include "classify.h"
#include "compat.h"
#include "plan.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace dse;

namespace {

uint64_t hash_of(StringRef text, uint64_t hash = 0xcbf29ce484222325u) {
  for (const char letter : text)
    hash = (hash ^ uint8_t(letter)) * 0x100000001b3u;
  return hash;
}

// Two static functions of one name are two functions.
uint64_t hash_of(const GlobalValue &symbol) {
  const uint64_t hash = hash_of(symbol.getName());
  return symbol.hasLocalLinkage() ? hash_of(symbol.getParent()->getSourceFileName(), hash ^ 0x5bd1e995u) : hash;
}

class FunctionPlan {
public:
  FunctionPlan(Plan &plan, Function &function) : plan(plan), function(function), layout(function.getParent()->getDataLayout()) {}

  bool scalable() const { return found_scalable; }

  void write() {
    promote();
    number();
    plan.functions.push_back({hash_of(function), plan.name(function.getName())});
    for (BasicBlock &block : function)
      if (block.getFirstInsertionPt() != block.end())
        write_block(block);
  }

private:
  Plan &plan;
  Function &function;
  const DataLayout &layout;
  DenseMap<const Value *, uint32_t> values;
  DenseMap<const Instruction *, uint32_t> products; // of a product and a sum in one instruction
  DenseMap<const BasicBlock *, uint32_t> blocks;
  uint32_t value_count = 0;
  bool needs_token = false, found_scalable = false;
  Value *token = nullptr;

  // Unoptimised code keeps variables in memory; the metrics are of values. Passes are skipped there, this call is not.
  void promote() {
    std::vector<AllocaInst *> allocas;
    for (Instruction &inst : function.getEntryBlock())
      if (auto *alloca = dyn_cast<AllocaInst>(&inst))
        if (isAllocaPromotable(alloca))
          allocas.push_back(alloca);
    if (allocas.empty())
      return;
    DominatorTree tree(function);
    PromoteMemToReg(allocas, tree);
  }

  void number() {
    for (const Argument &argument : function.args())
      values[&argument] = value_count++;
    for (const BasicBlock &block : function) {
      const uint32_t place = blocks.size();
      blocks[&block] = place;
      for (const Instruction &inst : block) {
        if (isa<LandingPadInst>(inst) || returns_twice(inst))
          needs_token = true;
        if (isa<ScalableVectorType>(inst.getType()))
          found_scalable = true;
        const classify::Classified what = classify::instruction(inst);
        if (what.chained_add)
          products[&inst] = value_count++;
        if ((what.cls && !isa<LandingPadInst>(inst) && !inst.getType()->isVoidTy()) || isa<PHINode>(inst))
          values[&inst] = value_count++;
      }
    }
    // Static allocas behind the first instruction written would become dynamic ones.
    BasicBlock &entry = function.getEntryBlock();
    Instruction *front = &*entry.getFirstInsertionPt();
    std::vector<Instruction *> fixed;
    for (Instruction &inst : entry)
      if (auto *alloca = dyn_cast<AllocaInst>(&inst))
        if (alloca->isStaticAlloca())
          fixed.push_back(alloca);
    for (Instruction *alloca : fixed)
      if (alloca == front)
        front = front->getNextNode();
      else
        compat::move_before(alloca, front);
    if (needs_token)
      token = IRBuilder<>(front).CreateAlloca(Type::getInt8Ty(function.getContext()));
  }

  static bool returns_twice(const Instruction &inst) {
    const auto *call = dyn_cast<CallBase>(&inst);
    return call && call->hasFnAttr(Attribute::ReturnsTwice);
  }

  uint32_t value(const Value *operand) const {
    while (const auto *inst = dyn_cast<Instruction>(operand)) {
      const Value *next = classify::passed_on(*inst);
      if (!next)
        break;
      operand = next;
    }
    const auto found = values.find(operand);
    return found == values.end() ? kNone : found->second;
  }

  void write_block(BasicBlock &block) {
    BasicBlock::iterator place = block.getFirstInsertionPt();
    if (block.isEntryBlock())
      while (isa<AllocaInst>(*place) && (cast<AllocaInst>(*place).isStaticAlloca() || &*place == token))
        ++place;
    Instruction *start = &*place;
    std::vector<Instruction *> body;
    for (Instruction &inst : block) // what stands before the start is counted too: allocas, the landing pad
      if (&inst == start)
        break;
      else if (&inst != token && classify::instruction(inst).cls)
        body.push_back(&inst);
    uint32_t flags = kFirst | (block.isEntryBlock() ? kEntry : 0) | (block.isLandingPad() ? kPad : 0);
    uint32_t addresses = 0;
    for (; place != block.end(); ++place) {
      Instruction &inst = *place;
      if (classify::instruction(inst).cls)
        body.push_back(&inst);
      addresses += isa<IntrinsicInst>(inst) || inst.mayReadOrWriteMemory() ? most_addresses(inst) : 0;
      const auto *call = dyn_cast<CallInst>(&inst);
      const bool tail = call && call->isMustTailCall();
      if (inst.isTerminator() || (classify::ends_segment(inst) && !tail) || addresses > kMostAddresses) {
        write_segment(start, body, flags, block);
        body.clear();
        addresses = 0;
        flags = returns_twice(inst) ? kToken : 0;
        if (!inst.isTerminator())
          start = inst.getNextNode();
      }
    }
  }

  static uint32_t most_addresses(const Instruction &inst) {
    const classify::Classified what = classify::instruction(inst);
    return what.kind == kMany ? 1u << classify::log_length(classify::shape(inst)) : 3;
  }

  void write_segment(Instruction *start, const std::vector<Instruction *> &body, uint32_t flags, BasicBlock &block) {
    Segment segment;
    segment.start = start;
    segment.block = blocks[&block];
    segment.code = plan.code.size();
    segment.function = plan.functions.back().hash;
    std::vector<uint32_t> &code = plan.code;
    code.resize(segment.code + kHeaderWords, kNone);
    const auto head = [&](Header word) -> uint32_t & { return code[segment.code + word]; };
    head(kValues) = value_count;
    head(kArguments) = function.arg_size();
    head(kStaticFirst) = plan.static_instructions;
    head(kFunction) = plan.functions.size() - 1;
    head(kPhis) = head(kPredecessors) = head(kCalleeLow) = head(kCalleeHigh) = 0;
    if (token && (flags & (kEntry | kPad | kToken))) {
      flags |= kToken;
      segment.addresses.push_back({nullptr, token});
    }
    if (flags & kFirst)
      write_phis(block, segment.code);
    uint32_t count = 0;
    for (Instruction *inst : body)
      count += write_instruction(*inst, segment, flags);
    head(kInstructions) = count;
    plan.static_instructions += count;
    segment.flags = flags;
    plan.segments.push_back(std::move(segment));
  }

  void write_phis(BasicBlock &block, uint32_t header) {
    std::vector<PHINode *> phis;
    for (PHINode &phi : block.phis())
      phis.push_back(&phi);
    if (phis.empty())
      return;
    plan.code[header + kPhis] = phis.size();
    plan.code[header + kPredecessors] = phis[0]->getNumIncomingValues();
    for (PHINode *phi : phis)
      plan.code.push_back(values[phi]);
    for (uint32_t edge = 0; edge < phis[0]->getNumIncomingValues(); ++edge) {
      BasicBlock *from = phis[0]->getIncomingBlock(edge);
      plan.code.push_back(blocks[from]);
      for (PHINode *phi : phis)
        plan.code.push_back(value(phi->getIncomingValueForBlock(from)));
    }
  }

  // How many instructions were written: two for a product and a sum in one.
  uint32_t write_instruction(Instruction &inst, Segment &segment, uint32_t &flags) {
    const classify::Classified what = classify::instruction(inst);
    const Type *type = classify::shape(inst);
    const uint32_t length = classify::log_length(type), bits = classify::bits_index(type);
    if (isa<ScalableVectorType>(type))
      found_scalable = true;
    if (what.chained_add) {
      emit(what, length, bits, products[&inst], 0, {value(inst.getOperand(0)), value(inst.getOperand(1))});
      emit({kFp}, length, bits, values[&inst], 0, {products[&inst], value(inst.getOperand(2))});
      return 2;
    }
    std::vector<uint32_t> operands;
    uint32_t bytes = 0;
    if (const auto *call = dyn_cast<CallBase>(&inst)) {
      for (const Use &argument : call->args())
        operands.push_back(value(argument.get()));
      bytes = call->arg_size();
      if (what.kind == kCallKind && !call->getCalledFunction())
        operands.push_back(value(call->getCalledOperand()));
    } else {
      for (const Value *operand : inst.operands())
        operands.push_back(value(operand));
    }
    if (operands.size() > 0xffff)
      operands.resize(0xffff);
    const auto defined = values.find(&inst);
    const uint32_t kind = what.kind == kCallKind ? note_call(cast<CallBase>(inst), segment, flags) : what.kind;
    if (what.cls == kLoad || what.cls == kStore)
      bytes = note_access(inst, what, segment);
    else if (what.kind == kCopy || what.kind == kFill)
      note_block(cast<CallBase>(inst), segment);
    note_end(inst, segment.code, flags);
    emit({what.cls, kind}, length, bits, defined == values.end() ? kNone : defined->second, bytes, operands);
    return 1;
  }

  void emit(classify::Classified what, uint32_t length, uint32_t bits, uint32_t defined, uint32_t bytes, const std::vector<uint32_t> &operands) {
    plan.code.push_back(instruction_word(what.cls, what.kind, length, bits, operands.size()));
    plan.code.push_back(defined);
    plan.code.push_back(bytes);
    plan.code.insert(plan.code.end(), operands.begin(), operands.end());
  }

  uint32_t note_access(Instruction &inst, const classify::Classified &what, Segment &segment) {
    const Type *type = classify::shape(inst);
    if (what.kind == kMany) {
      note_elements(cast<CallBase>(inst), segment);
      return layout.getTypeStoreSize(const_cast<Type *>(type->getScalarType()));
    }
    Value *address = getLoadStorePointerOperand(&inst);
    if (!address) {
      const auto &call = cast<CallBase>(inst);
      address = call.getArgOperand(what.cls == kStore ? 1 : 0);
    }
    segment.addresses.push_back({&inst, address});
    const TypeSize size = layout.getTypeStoreSize(const_cast<Type *>(type));
    return size.isScalable() ? 0 : uint32_t(size.getFixedValue());
  }

  static void note_elements(CallBase &call, Segment &segment) {
    const bool scatter = call.getIntrinsicID() == Intrinsic::masked_scatter;
    Value *pointers = call.getArgOperand(scatter ? 1 : 0), *mask = call.getArgOperand(scatter ? 3 : 2);
    IRBuilder<> at(&call);
    const uint32_t length = cast<FixedVectorType>(pointers->getType())->getNumElements();
    for (uint32_t element = 0; element < length; ++element) {
      Value *pointer = at.CreateExtractElement(pointers, element);
      Value *none = Constant::getNullValue(pointer->getType());
      segment.addresses.push_back({&call, at.CreateSelect(at.CreateExtractElement(mask, element), pointer, none)});
    }
    for (uint32_t rest = length; rest < (1u << classify::log_length(pointers->getType())); ++rest)
      segment.addresses.push_back({&call, ConstantInt::get(Type::getInt64Ty(call.getContext()), 0)});
  }

  static void note_block(CallBase &call, Segment &segment) {
    segment.addresses.push_back({&call, call.getArgOperand(0)});
    if (classify::block_operation(call) == kCopy)
      segment.addresses.push_back({&call, call.getArgOperand(1)});
    segment.addresses.push_back({&call, call.getArgOperand(2)});
  }

  // The kind of the call: some functions copy or fill a block.
  uint32_t note_call(CallBase &call, Segment &segment, uint32_t &flags) {
    flags |= kCall;
    const auto *callee = dyn_cast<GlobalValue>(call.getCalledOperand()->stripPointerCastsAndAliases());
    if (!callee) {
      flags |= kIndirect;
      return kCallKind;
    }
    const uint64_t hash = hash_of(*callee);
    plan.code[segment.code + kCalleeName] = plan.name(callee->getName());
    plan.code[segment.code + kCalleeLow] = uint32_t(hash);
    plan.code[segment.code + kCalleeHigh] = uint32_t(hash >> 32);
    const uint32_t block = classify::block_operation(call);
    if (block == kPlain)
      return kCallKind;
    note_block(call, segment);
    return block == kCopy ? kCallCopy : kCallFill;
  }

  void note_end(const Instruction &inst, uint32_t header, uint32_t &flags) {
    if (isa<ReturnInst>(inst))
      flags |= kRet;
    else if (isa<SwitchInst>(inst))
      flags |= kSwitch;
    else if (isa<BranchInst>(inst)) {
      flags |= inst.getNumSuccessors() == 2 ? kCond : kUncond;
      plan.code[header + kTaken] = blocks[inst.getSuccessor(0)];
      plan.code[header + kNotTaken] = blocks[inst.getSuccessor(inst.getNumSuccessors() - 1)];
    }
  }
};

bool wanted(const Function &function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() && !function.hasFnAttribute(Attribute::Naked) &&
         !compat::starts_with(function.getName(), "__dse") && !compat::is_presplit_coroutine(function);
}

struct DsePass : PassInfoMixin<DsePass> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    SmallPtrSet<const Function *, 4> resolvers;
    for (const GlobalIFunc &ifunc : module.ifuncs())
      if (const auto *resolver = dyn_cast<Function>(ifunc.getResolver()->stripPointerCastsAndAliases()))
        resolvers.insert(resolver);
    Plan plan;
    bool scalable = false;
    for (Function &function : module)
      if (wanted(function) && !resolvers.count(&function)) {
        FunctionPlan one(plan, function);
        one.write();
        scalable |= one.scalable();
      }
    if (scalable) {
      module.getContext().emitError("dse: scalable vectors have no length before the program runs, so they have no place in a "
                                    "profile; compile without -msve and the like");
      return PreservedAnalyses::all();
    }
    if (plan.segments.empty())
      return PreservedAnalyses::all();
    write_module(module, plan);
    return PreservedAnalyses::none();
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "dse", "1", [](PassBuilder &builder) { compat::at_the_end<DsePass>(builder); }};
}
