import SwiftSyntax

/// Support for mutants that change values: `mutantChange(7, value)` returns another value of the same type.
extension MutationRewriter {
  /// Wraps a value in a call that can change it.
  ///
  /// Keywords such as `try` stay outside the call: `try mutantChange(7, call())`.
  func changed(_ number: Int, _ value: ExprSyntax, of node: ExprSyntax) -> ExprSyntax {
    guard !isExcluded(number), !mayBeLent(node) else { return value }
    if let marked = value.as(TryExprSyntax.self), marked.questionOrExclamationMark == nil {
      return ExprSyntax(
        marked.with(\.expression, changed(number, marked.expression, of: marked.expression)))
    }
    if let marked = value.as(AwaitExprSyntax.self) {
      return ExprSyntax(
        marked.with(\.expression, changed(number, marked.expression, of: marked.expression)))
    }
    if let marked = value.as(UnsafeExprSyntax.self) {
      return ExprSyntax(
        marked.with(\.expression, changed(number, marked.expression, of: marked.expression)))
    }
    return expression("mutantChange(\(number), \(value.trimmedDescription))", of: value)
  }

  /// Returns true if an argument might be converted to a pointer that is valid only during the call.
  ///
  /// For example, a string or an array that is passed to C is converted in this way.
  private func mayBeLent(_ node: ExprSyntax) -> Bool {
    guard node.parent?.is(LabeledExprSyntax.self) == true else { return false }
    var current = node.parent
    while let parent = current, !parent.is(CodeBlockItemSyntax.self) {
      if parent.is(UnsafeExprSyntax.self) { return true }
      current = parent.parent
    }
    return false
  }

  /// Returns true if a mutant can change the value of an expression, and no other mutant already changes it.
  func mayChange(_ expression: ExprSyntax) -> Bool {
    if let marked = expression.as(TryExprSyntax.self) { return mayChange(marked.expression) }
    if let marked = expression.as(AwaitExprSyntax.self) { return mayChange(marked.expression) }
    if let marked = expression.as(UnsafeExprSyntax.self) { return mayChange(marked.expression) }
    if let infix = expression.as(InfixOperatorExprSyntax.self) { return mayChange(infix) }
    if let tuple = expression.as(TupleExprSyntax.self) { return tuple.elements.count == 1 }
    if let array = expression.as(ArrayExprSyntax.self) { return !array.elements.isEmpty }
    if let name = expression.as(DeclReferenceExprSyntax.self)?.baseName.text {
      return name.first?.isLowercase == true && !["self", "super"].contains(name)
    }
    if let member = expression.as(MemberAccessExprSyntax.self) {
      let name = member.declName.baseName.text
      return name.first?.isLowercase == true && name != "self" && name != "init"
    }
    return expression.is(FunctionCallExprSyntax.self) || expression.is(SubscriptCallExprSyntax.self)
      || expression.is(StringLiteralExprSyntax.self) || expression.is(IntegerLiteralExprSyntax.self)
      || expression.is(FloatLiteralExprSyntax.self) || expression.is(TernaryExprSyntax.self)
      || expression.is(OptionalChainingExprSyntax.self) || expression.is(AsExprSyntax.self)
  }

  private func mayChange(_ infix: InfixOperatorExprSyntax) -> Bool {
    guard let sign = infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else {
      return false
    }
    return ["+", "-", "*", "/", "%", "<<", ">>", "|", "&", "??"].contains(sign)
  }

  /// Returns true if an argument belongs to a call or a subscript and is labeled, a literal, or a property.
  func isMutableArgument(_ node: LabeledExprSyntax) -> Bool {
    guard node.label?.text != "ascii", mayChange(node.expression) else { return false }
    let isText = node.expression.is(StringLiteralExprSyntax.self)
    guard let owner = node.parent?.parent else { return false }
    if owner.is(SubscriptCallExprSyntax.self) || owner.is(TupleExprSyntax.self) { return isText }
    guard let call = owner.as(FunctionCallExprSyntax.self), !isIgnored(call) else { return false }
    return node.label != nil || isText || node.expression.is(IntegerLiteralExprSyntax.self)
      || node.expression.as(MemberAccessExprSyntax.self)?.base != nil
  }

  /// Returns true for the initial value of a variable or property, and for the value of an optional binding.
  func isMutableInitializer(_ node: InitializerClauseSyntax) -> Bool {
    guard mayChange(node.value) else { return false }
    guard let parent = node.parent else { return false }
    if parent.is(OptionalBindingConditionSyntax.self) { return true }
    guard let binding = parent.as(PatternBindingSyntax.self),
      binding.pattern.is(IdentifierPatternSyntax.self),
      let variable = binding.parent?.parent?.as(VariableDeclSyntax.self)
    else { return false }
    return !variable.modifiers.contains { $0.name.text == "async" }
  }

  /// Returns true if the item is the only statement in the body of a function or getter, or in a branch of that body.
  ///
  /// The value of such an item is the result of the function or getter.
  func isResult(_ item: CodeBlockItemSyntax, in list: CodeBlockItemListSyntax) -> Bool {
    guard list.count == 1, let parent = list.parent else { return false }
    if parent.is(AccessorBlockSyntax.self) { return true }
    var current: Syntax? = parent.as(CodeBlockSyntax.self)?.parent ?? parent
    while let node = current {
      if let function = node.as(FunctionDeclSyntax.self) {
        return function.signature.returnClause != nil
      }
      if let accessor = node.as(AccessorDeclSyntax.self) {
        return accessor.accessorSpecifier.text == "get"
      }
      if node.is(ExpressionStmtSyntax.self) {
        guard let item = node.parent?.as(CodeBlockItemSyntax.self),
          let list = item.parent?.as(CodeBlockItemListSyntax.self)
        else { return false }
        return isResult(item, in: list)
      }
      guard
        node.is(IfExprSyntax.self) || node.is(SwitchExprSyntax.self)
          || node.is(SwitchCaseSyntax.self) || node.is(SwitchCaseListSyntax.self)
      else { return false }
      current = node.parent
    }
    return false
  }
}
