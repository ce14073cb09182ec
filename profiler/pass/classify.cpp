#include "classify.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dse;

namespace classify {
namespace {

bool is_fp(const Type *type) { return type->getScalarType()->isFloatingPointTy(); }

bool any_fp_operand(const CallBase &call) {
  for (const Use &argument : call.args())
    if (is_fp(argument->getType()))
      return true;
  return false;
}

Classified intrinsic(const IntrinsicInst &call) {
  const uint32_t block = block_operation(call);
  if (block != kPlain)
    return {kControl, block};
  switch (call.getIntrinsicID()) {
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap:
    return {kControl};
  case Intrinsic::masked_load:
  case Intrinsic::masked_expandload:
    return {kLoad};
  case Intrinsic::masked_store:
  case Intrinsic::masked_compressstore:
    return {kStore};
  case Intrinsic::masked_gather:
    return {kLoad, kMany};
  case Intrinsic::masked_scatter:
    return {kStore, kMany};
  case Intrinsic::fmuladd:
    return {kFp, kMul, true};
  case Intrinsic::fma:
    return {kFp, kMul};
  case Intrinsic::sqrt:
    return {kFp, kDiv};
  case Intrinsic::umul_with_overflow:
  case Intrinsic::smul_with_overflow:
    return {kIntArith, kMul};
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::usub_with_overflow:
  case Intrinsic::ssub_with_overflow:
    return {kInt};
  case Intrinsic::expect:
  case Intrinsic::expect_with_probability:
  case Intrinsic::objectsize:
  case Intrinsic::is_constant:
  case Intrinsic::annotation:
  case Intrinsic::eh_typeid_for:
    return {};
  default:
    break;
  }
  const Type *result = call.getType();
  if (is_fp(result) || any_fp_operand(call))
    return {kFp};
  if (result->getScalarType()->isIntegerTy() && call.arg_size() && call.getArgOperand(0)->getType()->getScalarType()->isIntegerTy())
    return {kInt};
  return {}; // what only tells the compiler something: debug, lifetime, assume, invariant, prefetch, va_*, stacksave
}

} // namespace

uint32_t block_operation(const CallBase &call) {
  if (isa<MemSetInst>(call))
    return kFill;
  if (isa<MemTransferInst>(call))
    return kCopy;
  const Function *callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic() || call.arg_size() != 3 || !call.getArgOperand(2)->getType()->isIntegerTy(64))
    return kPlain;
  const StringRef name = callee->getName();
  if (name == "memset")
    return kFill;
  return name == "memcpy" || name == "memmove" ? uint32_t(kCopy) : uint32_t(kPlain);
}

bool ends_segment(const Instruction &inst) {
  const auto *call = dyn_cast<CallBase>(&inst);
  return call && !isa<IntrinsicInst>(inst) && !call->isInlineAsm();
}

const Value *passed_on(const Instruction &inst) {
  if (isa<FreezeInst>(inst) || isa<AddrSpaceCastInst>(inst))
    return inst.getOperand(0);
  if (const auto *cast = dyn_cast<BitCastInst>(&inst))
    return cast->getSrcTy()->isPtrOrPtrVectorTy() ? cast->getOperand(0) : nullptr;
  if (const auto *gep = dyn_cast<GetElementPtrInst>(&inst))
    return gep->hasAllZeroIndices() ? gep->getPointerOperand() : nullptr;
  if (const auto *call = dyn_cast<IntrinsicInst>(&inst))
    switch (call->getIntrinsicID()) {
    case Intrinsic::expect:
    case Intrinsic::expect_with_probability:
    case Intrinsic::annotation:
    case Intrinsic::ptr_annotation:
    case Intrinsic::launder_invariant_group:
    case Intrinsic::strip_invariant_group:
      return call->getArgOperand(0);
    default:
      return nullptr;
    }
  return nullptr;
}

Classified instruction(const Instruction &inst) {
  if (passed_on(inst))
    return {};
  if (const auto *call = dyn_cast<IntrinsicInst>(&inst))
    return intrinsic(*call);
  if (const auto *call = dyn_cast<CallBase>(&inst))
    return call->isInlineAsm() ? Classified{isa<CallInst>(inst) ? kOther : kControl} : Classified{kControl, kCallKind};
  switch (inst.getOpcode()) {
  case Instruction::PHI:
    return {};
  case Instruction::Load:
    return {kLoad};
  case Instruction::Store:
    return {kStore};
  case Instruction::Add:
  case Instruction::Sub:
    return {kIntArith};
  case Instruction::Mul:
    return {kIntArith, kMul};
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return {kIntArith, kDiv};
  case Instruction::GetElementPtr:
  case Instruction::Alloca:
    return {kAddr};
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FNeg:
  case Instruction::FCmp:
    return {kFp};
  case Instruction::FMul:
    return {kFp, kMul};
  case Instruction::FDiv:
  case Instruction::FRem:
    return {kFp, kDiv};
  case Instruction::FPToUI:
  case Instruction::FPToSI:
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    return {kInt, kConvertFp};
  case Instruction::BitCast:
    return {kInt, is_fp(inst.getOperand(0)->getType()) ? uint32_t(kConvertFp) : uint32_t(kPlain)};
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::ICmp:
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::UIToFP:
  case Instruction::SIToFP:
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
    return {kInt};
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
  case Instruction::ShuffleVector:
    return {kVectorMove};
  case Instruction::Ret:
    return {kControl, kRetKind};
  default:
    return {inst.isTerminator() ? kControl : kOther};
  }
}

const Type *shape(const Instruction &inst) {
  const Type *type = inst.getType();
  if (isa<StoreInst>(inst) || isa<CmpInst>(inst) || isa<ExtractElementInst>(inst))
    type = inst.getOperand(0)->getType();
  else if (const auto *call = dyn_cast<IntrinsicInst>(&inst))
    if (call->getIntrinsicID() == Intrinsic::masked_store || call->getIntrinsicID() == Intrinsic::masked_scatter ||
        call->getIntrinsicID() == Intrinsic::masked_compressstore)
      type = call->getArgOperand(0)->getType();
  return type;
}

uint32_t log_length(const Type *type) {
  const auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector)
    return 0;
  uint32_t log = 0;
  while ((uint64_t(1) << log) < vector->getNumElements() && log < 15)
    ++log;
  return log;
}

uint32_t bits_index(const Type *type) {
  const Type *element = type->getScalarType();
  const uint64_t bits = element->isPointerTy() ? 64 : uint64_t(element->getPrimitiveSizeInBits());
  for (uint32_t index = 1; index < 6; ++index)
    if (kElementBits[index] == bits)
      return index;
  return 0;
}

} // namespace classify
