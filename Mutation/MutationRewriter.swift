import SwiftSyntax
import SwiftSyntaxBuilder

/// A rewriter that inserts all mutants of a file into the file, each behind a switch.
///
/// For example, `a < b` becomes `mutantLess(7, a, b)`, and `call()` becomes `if !mutantIsActive(8) { call() }`. One
/// build contains all mutants, and a test run selects one of them. No operand is duplicated, and each mutated place
/// becomes a call of a function with simple types. As a result, nearly all mutants compile, and they compile quickly.
final class MutationRewriter: SyntaxRewriter {
  private static let comparisons = [
    "<": ("mutantLess", "<="), "<=": ("mutantLessOrEqual", "<"), ">": ("mutantGreater", ">="),
    ">=": ("mutantGreaterOrEqual", ">"),
  ]
  private static let logic = ["&&": ("mutantAnd", "||"), "||": ("mutantOr", "&&")]
  private static let equality = ["==": "!=", "!=": "=="]
  private static let arithmetic = ["+": ("mutantPlus", "-"), "-": ("mutantMinus", "+")]
  /// Calls that do not affect the product's behavior: assertions, and calls that only reserve memory or help tests to
  /// measure.
  private static let ignoredCalls: Set<String> = [
    "assert", "precondition", "assertionFailure", "preconditionFailure", "checkInvariants",
    "fatalError", "reserveCapacity", "countExamined",
  ]

  private let file: String
  private let changesValues: Bool
  private let converter: SourceLocationConverter
  let isExcluded: (Int) -> Bool
  private(set) var mutants: [Mutant] = []
  private var next: Int

  /// Creates a rewriter for one file.
  ///
  /// - Parameters:
  ///   - file: The file's path as printed in reports.
  ///   - tree: The parsed file with folded operators.
  ///   - first: The number of the file's first mutant; numbers increase in source order.
  ///   - changesValues: True to also change values: literals, arguments, results, and initial values.
  ///   - isExcluded: A function that returns true for a mutant that is omitted because its code doesn't compile.
  init(
    file: String, tree: SourceFileSyntax, first: Int, changesValues: Bool = false,
    isExcluded: @escaping (Int) -> Bool
  ) {
    self.file = file
    self.changesValues = changesValues
    self.isExcluded = isExcluded
    self.next = first
    converter = SourceLocationConverter(fileName: file, tree: tree)
    super.init()
  }

  // MARK: Skipped declarations

  override func visit(_ node: FunctionDeclSyntax) -> DeclSyntax {
    let name = node.name.text
    return name.hasPrefix("checkInvariants") || name.hasPrefix("describe") || isInlinable(node)
      ? DeclSyntax(node) : super.visit(node)
  }

  override func visit(_ node: VariableDeclSyntax) -> DeclSyntax {
    let names = node.bindings.map { $0.pattern.trimmedDescription }
    return names.contains("description") || isInlinable(node) ? DeclSyntax(node) : super.visit(node)
  }

  override func visit(_ node: InitializerDeclSyntax) -> DeclSyntax {
    isInlinable(node) ? DeclSyntax(node) : super.visit(node)
  }

  override func visit(_ node: SubscriptDeclSyntax) -> DeclSyntax {
    isInlinable(node) ? DeclSyntax(node) : super.visit(node)
  }

  override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
    isIgnored(node) ? ExprSyntax(node) : super.visit(node)
  }

  /// Skips code that only debug builds contain, because it exists for tests.
  override func visit(_ node: IfConfigDeclSyntax) -> DeclSyntax {
    node.clauses.contains { $0.condition?.trimmedDescription == "DEBUG" }
      ? DeclSyntax(node) : super.visit(node)
  }

  override func visit(_ node: AttributeSyntax) -> AttributeSyntax { node }
  override func visit(_ node: ExpressionPatternSyntax) -> PatternSyntax { PatternSyntax(node) }
  override func visit(_ node: StringLiteralExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: FunctionParameterSyntax) -> FunctionParameterSyntax { node }
  override func visit(_ node: EnumCaseDeclSyntax) -> DeclSyntax { DeclSyntax(node) }

  private func isInlinable(_ node: some WithAttributesSyntax) -> Bool {
    node.attributes.contains { $0.trimmedDescription.lowercased().contains("inlin") }
  }

  func isIgnored(_ call: FunctionCallExprSyntax) -> Bool {
    let called = call.calledExpression.trimmedDescription
    let name = called.split(separator: ".").last.map(String.init) ?? called
    return Self.ignoredCalls.contains(name) || called.hasPrefix("log.") || called.contains("logger")
  }

  // MARK: Operators

  override func visit(_ node: InfixOperatorExprSyntax) -> ExprSyntax {
    if changesValues, let visited = visitOperandValue(of: node) { return visited }
    guard let sign = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text,
      !hasEffects(node)
    else { return super.visit(node) }
    if let other = Self.equality[sign] {
      let number = record(node, "\(sign) becomes \(other)")
      return flip(number, super.visit(node), of: node)
    }
    let isArithmetic = Self.arithmetic[sign] != nil
    guard
      let (function, other) = Self.comparisons[sign] ?? Self.logic[sign] ?? Self.arithmetic[sign],
      !isArithmetic || isNumber(node.leftOperand) || isNumber(node.rightOperand)
    else { return super.visit(node) }
    let number = record(node, "\(sign) becomes \(other)")
    let visited = super.visit(node)
    guard !isExcluded(number), let children = visited.as(InfixOperatorExprSyntax.self) else {
      return visited
    }
    let left = children.leftOperand.trimmedDescription
    let right = children.rightOperand.trimmedDescription
    return expression("\(function)(\(number), \(left), \(right))", of: node)
  }

  override func visit(_ node: PrefixOperatorExprSyntax) -> ExprSyntax {
    guard node.operator.text == "!", !hasEffects(node) else { return super.visit(node) }
    return flip(record(node, "! is left out"), super.visit(node), of: node)
  }

  override func visit(_ node: ConditionElementSyntax) -> ConditionElementSyntax {
    guard case .expression(let condition) = node.condition, !hasEffects(condition),
      condition.is(DeclReferenceExprSyntax.self) || condition.is(MemberAccessExprSyntax.self)
        || condition.is(FunctionCallExprSyntax.self)
    else { return super.visit(node) }
    let number = record(condition, "the condition is negated")
    let visited = super.visit(node)
    guard case .expression(let inner) = visited.condition else { return visited }
    return visited.with(\.condition, .expression(flip(number, inner, of: condition)))
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> ExprSyntax {
    let parent = node.parent
    if parent?.is(ConditionElementSyntax.self) == true { return ExprSyntax(node) }
    let isAssigned = parent?.as(InfixOperatorExprSyntax.self)?.operator.is(
      AssignmentExprSyntax.self)
    guard parent?.is(ReturnStmtSyntax.self) == true || isAssigned == true || changesValues else {
      return ExprSyntax(node)
    }
    let word = node.literal.text
    let number = record(node, "\(word) becomes \(word == "true" ? "false" : "true")")
    return flip(number, ExprSyntax(node), of: node)
  }

  // MARK: Values

  override func visit(_ node: LabeledExprSyntax) -> LabeledExprSyntax {
    guard changesValues, isMutableArgument(node) else { return super.visit(node) }
    return visitValue(of: node, at: \.expression, "the argument is changed") { super.visit($0) }
  }

  override func visit(_ node: InitializerClauseSyntax) -> InitializerClauseSyntax {
    guard changesValues, isMutableInitializer(node) else { return super.visit(node) }
    return visitValue(of: node, at: \.value, "the value is changed") { super.visit($0) }
  }

  override func visit(_ node: ReturnStmtSyntax) -> StmtSyntax {
    guard changesValues, let value = node.expression, mayChange(value) else {
      return super.visit(node)
    }
    let number = record(value, "the result is changed")
    guard let visited = super.visit(node).as(ReturnStmtSyntax.self), let inner = visited.expression
    else { return super.visit(node) }
    return StmtSyntax(visited.with(\.expression, changed(number, inner, of: value)))
  }

  override func visit(_ node: ForStmtSyntax) -> StmtSyntax {
    guard changesValues, node.awaitKeyword == nil, mayChange(node.sequence) else {
      return super.visit(node)
    }
    let number = record(node.sequence, "the sequence is changed")
    guard let visited = super.visit(node).as(ForStmtSyntax.self) else { return super.visit(node) }
    return StmtSyntax(
      visited.with(\.sequence, changed(number, visited.sequence, of: node.sequence)))
  }

  override func visit(_ node: TernaryExprSyntax) -> ExprSyntax {
    let condition = node.condition
    guard changesValues, !hasEffects(condition),
      condition.is(DeclReferenceExprSyntax.self) || condition.is(MemberAccessExprSyntax.self)
        || condition.is(FunctionCallExprSyntax.self)
    else { return super.visit(node) }
    let number = record(condition, "the condition is negated")
    guard let visited = super.visit(node).as(TernaryExprSyntax.self) else {
      return super.visit(node)
    }
    return ExprSyntax(
      visited.with(\.condition, flip(number, visited.condition, of: condition)))
  }

  /// Changes an assigned value if no mutant omits the assignment, and changes the optional value before `??`.
  private func visitOperandValue(of node: InfixOperatorExprSyntax) -> ExprSyntax? {
    let place: WritableKeyPath<InfixOperatorExprSyntax, ExprSyntax>
    if node.operator.is(AssignmentExprSyntax.self) {
      let isRemoved = node.leftOperand.is(MemberAccessExprSyntax.self) && !isInInitializer(node)
      guard !isRemoved, !node.leftOperand.is(DiscardAssignmentExprSyntax.self) else { return nil }
      place = \.rightOperand
    } else {
      guard node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text == "??" else {
        return nil
      }
      place = \.leftOperand
    }
    let value = node[keyPath: place]
    guard mayChange(value) else { return nil }
    let number = record(value, "the value is changed")
    guard let visited = super.visit(node).as(InfixOperatorExprSyntax.self) else { return nil }
    return ExprSyntax(
      visited.with(place, changed(number, visited[keyPath: place], of: value)))
  }

  private func visitValue<Node: SyntaxProtocol>(
    of node: Node, at place: WritableKeyPath<Node, ExprSyntax>, _ change: String,
    visit: (Node) -> Node
  ) -> Node {
    let value = node[keyPath: place]
    let number = record(value, change)
    let visited = visit(node)
    return visited.with(place, changed(number, visited[keyPath: place], of: value))
  }

  // MARK: Statements

  override func visit(_ node: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
    let mayVanish = !isInInitializer(node)
    return CodeBlockItemListSyntax(
      node.map { item in
        if changesValues, case .expr(let value) = item.item, isResult(item, in: node),
          mayChange(value)
        {
          let number = record(value, "the result is changed")
          let visited = super.visit(item)
          guard case .expr(let inner) = visited.item else { return visited }
          return visited.with(\.item, .expr(changed(number, inner, of: value)))
        }
        guard mayVanish, !isValue(item, in: node), let removal = removal(of: item) else {
          return super.visit(item)
        }
        let number = record(item, "\(removal) is left out")
        let children = super.visit(item)
        guard !isExcluded(number) else { return children }
        return CodeBlockItemSyntax(
          item: .expr(
            ExprSyntax(
              "if !mutantIsActive(\(raw: number)) { \(raw: children.trimmedDescription)\n }")),
          trailingTrivia: .newline
        ).with(\.leadingTrivia, item.leadingTrivia)
      })
  }

  /// Returns the description of an item that can be omitted: a call, or an assignment to a member.
  private func removal(of item: CodeBlockItemSyntax) -> String? {
    guard case .expr(var expression) = item.item else { return nil }
    if let marked = expression.as(UnsafeExprSyntax.self) { expression = marked.expression }
    if let call = expression.as(FunctionCallExprSyntax.self) {
      let called = call.calledExpression.trimmedDescription
      guard !isIgnored(call), !called.hasSuffix(".init"), called.count < 60 else { return nil }
      return "\(called)(…)"
    }
    guard let infix = expression.as(InfixOperatorExprSyntax.self) else { return nil }
    let target = infix.leftOperand.trimmedDescription
    guard target.count < 60, !hasEffects(infix) else { return nil }
    if infix.operator.is(AssignmentExprSyntax.self) {
      return infix.leftOperand.is(MemberAccessExprSyntax.self) ? "\(target) = …" : nil
    }
    let sign = infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
    return ["+=", "-=", "|=", "&="].contains(sign) ? "\(target) \(sign) …" : nil
  }

  // MARK: Context

  /// Returns true if an expression can throw, suspend, or end a value's lifetime, or is marked as unsafe.
  ///
  /// The keywords of such an expression must stay in place.
  func hasEffects(_ node: some SyntaxProtocol) -> Bool {
    node.tokens(viewMode: .sourceAccurate).contains {
      ["try", "await", "consume", "unsafe"].contains($0.text)
    }
  }

  private func isNumber(_ expression: ExprSyntax) -> Bool {
    expression.is(IntegerLiteralExprSyntax.self)
  }

  /// Returns true if the item might be a value because it is the only statement of a body that has a result.
  private func isValue(_ item: CodeBlockItemSyntax, in list: CodeBlockItemListSyntax) -> Bool {
    guard list.count == 1 else { return false }
    guard let parent = list.parent else { return false }
    if parent.is(SwitchCaseSyntax.self) { return isValue(parent) }
    guard let owner = parent.as(CodeBlockSyntax.self)?.parent else {
      return !parent.is(SourceFileSyntax.self)
    }
    if let function = owner.as(FunctionDeclSyntax.self) {
      return function.signature.returnClause != nil
    }
    if changesValues, let accessor = owner.as(AccessorDeclSyntax.self) {
      return !["set", "willSet", "didSet"].contains(accessor.accessorSpecifier.text)
    }
    if owner.is(ForStmtSyntax.self) || owner.is(WhileStmtSyntax.self)
      || owner.is(DeferStmtSyntax.self)
      || owner.is(GuardStmtSyntax.self) || owner.is(CatchClauseSyntax.self)
      || owner.is(DoStmtSyntax.self)
    {
      return false
    }
    return isValue(owner)
  }

  /// Returns true if the `if` or `switch` that contains a branch might be a value.
  private func isValue(_ branch: Syntax) -> Bool {
    var current: Syntax? = branch
    while let node = current {
      if node.is(ExpressionStmtSyntax.self) {
        guard let item = node.parent?.as(CodeBlockItemSyntax.self),
          let list = item.parent?.as(CodeBlockItemListSyntax.self)
        else { return true }
        return isValue(item, in: list)
      }
      let isBranch =
        node.is(IfExprSyntax.self) || node.is(SwitchExprSyntax.self)
        || node.is(SwitchCaseSyntax.self)
        || node.is(SwitchCaseListSyntax.self)
      guard isBranch else { return true }
      current = node.parent
    }
    return true
  }

  func isInInitializer(_ node: some SyntaxProtocol) -> Bool {
    var current = node.parent
    while let parent = current {
      if parent.is(InitializerDeclSyntax.self) { return true }
      if parent.is(FunctionDeclSyntax.self) { return false }
      current = parent.parent
    }
    return false
  }

  // MARK: Records

  private func record(_ node: some SyntaxProtocol, _ change: String) -> Int {
    let location = converter.location(for: node.positionAfterSkippingLeadingTrivia)
    let number = next
    next += 1
    mutants.append(
      Mutant(
        number: number, file: file, line: location.line, column: location.column, change: change))
    return number
  }

  private func flip(_ number: Int, _ value: ExprSyntax, of node: some ExprSyntaxProtocol)
    -> ExprSyntax
  {
    guard !isExcluded(number) else { return value }
    return expression("mutantFlip(\(number), \(value.trimmedDescription))", of: node)
  }

  func expression(_ text: String, of node: some ExprSyntaxProtocol) -> ExprSyntax {
    ExprSyntax("\(raw: text)")
      .with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
  }
}
