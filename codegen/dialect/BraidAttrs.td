// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes: axes, page layouts, schedules and the enumerations of the ops.

#ifndef BRAID_DIALECT_ATTRS_TD
#define BRAID_DIALECT_ATTRS_TD

include "codegen/dialect/BraidBase.td"

def Braid_AxisAttr : Braid_Attr<"Axis", "axis"> {
  let summary = "One axis of a value: a name (may be empty) and an extent";
  let description = [{
    `token` is a run-time axis, `heads = 64` a named constant one, `64` an unnamed one. Two named axes
    match by name, otherwise by equal extent.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$extent);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool isRuntime() const { return getExtent() == ::mlir::ShapedType::kDynamic; }
    bool isNamed() const { return !getName().getValue().empty(); }
    /// True if a value's axis of this kind may meet `other` in one operation.
    bool matches(AxisAttr other) const;
    /// The axis as a program spells it: `token`, `heads`, `64`.
    std::string str() const;
  }];
}

def Braid_FieldAttr : Braid_Attr<"Field", "field"> {
  let summary = "One field of a page: dtype, index extents after the in-page token, byte address map";
  let description = [{
    `map` takes the in-page token and then one dimension for each extent, and gives the offset in the
    page of buffer `buffer`: in bytes, or in bits for a dtype of less than a byte.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::Type":$dtype,
                        "::mlir::DenseI64ArrayAttr":$extents, "int64_t":$buffer,
                        "::mlir::AffineMap":$map);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $name `,` $dtype `,` $extents `,` `buffer` `=` $buffer `,` `at` `=` $map `>`";
}

def Braid_LayoutAttr : Braid_Attr<"Layout", "layout"> {
  let summary = "A page layout with all parameters bound";
  let description = [{
    Each buffer is a tensor of the cache. `page_bytes` and `alignment` are one number where there is
    one buffer, and a list in brackets where there are several.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$pageSize,
                        ArrayRefParameter<"int64_t">:$pageBytes,
                        ArrayRefParameter<"int64_t">:$alignment,
                        ArrayRefParameter<"::braid::FieldAttr">:$fields);
  let genVerifyDecl = 1;
  let assemblyFormat = [{
    `<` $name `,` `page_size` `=` $pageSize `,` `page_bytes` `=` custom<PerBuffer>($pageBytes) `,`
        `alignment` `=` custom<PerBuffer>($alignment) `,` `fields` `=` `[` $fields `]` `>`
  }];
  let extraClassDeclaration = [{
    /// The field of that name, or a null attribute.
    FieldAttr findField(::llvm::StringRef name) const;
    /// Tensors of a cache of this layout.
    size_t getBuffers() const { return getPageBytes().size(); }
  }];
}

def Braid_SideRowAttr : Braid_Attr<"SideRow", "side_row"> {
  let summary = "How rows of another length than the main one lie in a section";
  let parameters = (ins "int64_t":$row, "::mlir::StringAttr":$bits);
  let assemblyFormat = "`<` `row` `=` $row `,` `bits` `=` $bits `>`";
}

def Braid_ScheduleAttr : Braid_Attr<"Schedule", "schedule"> {
  let summary = "Which register, lane or wave holds each element of a row, and how rows fill a workgroup";
  let description = [{
    `bits` has one letter for each bit of the element index, bit 0 first: `r` a register bit, `l` a
    lane bit, `w` a bit of the wave's number; each kind is numbered upwards. A lane bit does not come
    after a wave bit, and bits above a strip of 2,048 elements are register bits. A reduction walks
    these bits upwards, so results do not depend on the assignment. `sides` are the same for rows of
    other lengths in the section, which use the first lanes of the group. `lds` is what the workgroup
    has for exchanges between waves, in bytes. `row_groups` lane groups of a workgroup take neighbouring rows of one
    token, `token_groups` neighbouring tokens; `in_flight` rows are loaded before the first is used.
  }];
  let parameters = (ins "int64_t":$row, "::mlir::StringAttr":$bits, "int64_t":$workgroup,
                        "int64_t":$tokenGroups, "int64_t":$rowGroups, "int64_t":$inFlight,
                        DefaultValuedParameter<"int64_t", "0">:$lds,
                        OptionalArrayRefParameter<"::braid::SideRowAttr">:$sides);
  let assemblyFormat = [{
    `<` `row` `=` $row `,` `bits` `=` $bits `,` `workgroup` `=` $workgroup (`lds` $lds^)? `,`
        `token_groups` `=` $tokenGroups `,` `row_groups` `=` $rowGroups `,`
        `in_flight` `=` $inFlight (`,` `sides` `=` `[` $sides^ `]`)? `>`
  }];
  let extraClassDeclaration = [{
    /// How the rows of `length` elements lie.
    ::braid::RowBits bits(int64_t length) const;
    /// The same for all lengths, the main row first.
    ::llvm::SmallVector<::braid::RowBits> allBits() const;
    /// Lanes that share the longest row: the size of a lane group.
    int64_t getLanes() const;
    /// Rows of one token that one workgroup covers.
    int64_t getRowsPerWorkgroup() const { return getRowGroups() * getInFlight(); }
  }];
}

class Braid_Enum<string name, list<I32EnumCase> cases> : I32Enum<name, "", cases> {
  let cppNamespace = "::braid";
}
class Braid_EnumAttr<I32Enum enum, string mnemonic> : EnumAttr<Braid_Dialect, enum, mnemonic> {
  let assemblyFormat = "$value";
}

def Braid_RopeStyle : Braid_Enum<"RopeStyle", [I32EnumCase<"neox", 0>, I32EnumCase<"gptj", 1>]>;
def Braid_RopeStyleAttr : Braid_EnumAttr<Braid_RopeStyle, "rope_style">;

def Braid_TableForm : Braid_Enum<"TableForm", [
  I32EnumCase<"joined", 0>, I32EnumCase<"split", 1>, I32EnumCase<"pairs", 2>]>;
def Braid_TableFormAttr : Braid_EnumAttr<Braid_TableForm, "table_form">;

def Braid_NormWeight : Braid_Enum<"NormWeight", [I32EnumCase<"plain", 0>, I32EnumCase<"one_plus", 1>]>;
def Braid_NormWeightAttr : Braid_EnumAttr<Braid_NormWeight, "norm_weight">;

def Braid_ScaleRule : Braid_Enum<"ScaleRule", [
  I32EnumCase<"ue8m0", 0>, I32EnumCase<"f32_divide", 1>, I32EnumCase<"f32_reciprocal", 2>,
  I32EnumCase<"given", 3>]>;
def Braid_ScaleRuleAttr : Braid_EnumAttr<Braid_ScaleRule, "scale_rule">;

def Braid_OperandRole : Braid_Enum<"OperandRole", [
  I32EnumCase<"input", 0>, I32EnumCase<"output", 1>, I32EnumCase<"cache", 2>,
  I32EnumCase<"workspace", 3>, I32EnumCase<"inout", 4>]>;
def Braid_OperandRoleAttr : Braid_EnumAttr<Braid_OperandRole, "operand_role">;

def Braid_Padding : Braid_Enum<"Padding", [I32EnumCase<"skip_store", 0>]>;

#endif
