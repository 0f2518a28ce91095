/// The options of a command, parsed according to its table.
///
/// `--key value` and `--key=value` are equivalent. `--` ends the options.
public struct CommandLineOptions: Sendable {
  /// An error in a command line and how to fix it; the exit status is 2.
  public enum Problem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The key is unknown; `nearest` is the most similar option.
    case unknown(key: String, nearest: String?)
    /// The key is the name of a positional argument, which the usage shows.
    case notAnOption(key: String, usage: String)
    /// The value for the key is missing.
    case missingValue(key: String, name: String)
    /// A value was given for a flag.
    case unexpectedValue(key: String)
    /// The key can only be given once.
    case repeated(key: String)
    /// The value is not of the expected kind.
    case badValue(key: String, value: String, wanted: String)
    /// A positional argument is missing.
    case missingArgument(wanted: String)
    /// There are more positional arguments than the command accepts; `option` is an option that the user might have
    /// meant.
    case unexpectedArgument(String, option: String?, advice: String = "see --help")
    /// A required key is missing; `name` is the name of its value, if it is known.
    case required(key: String, name: String? = nil)

    /// A one-line message for the user.
    public var description: String {
      switch self {
      case .unknown(let key, let nearest?): "unknown option --\(key): did you mean --\(nearest)?"
      case .unknown(let key, nil): "unknown option --\(key): see --help"
      case .notAnOption(let key, let usage):
        "unknown option --\(key): specify it as an argument, as in '\(usage)'"
      case .missingValue(let key, let name): "missing value for --\(key): expected \(name)"
      case .unexpectedValue(let key): "unexpected value for --\(key): this option takes no value"
      case .repeated(let key): "--\(key) can only be given once"
      case .badValue(let key, let value, let wanted):
        "invalid value '\(value)' for --\(key): expected \(wanted)"
      case .missingArgument("-- COMMAND…"): "missing command: add '-- COMMAND' after the options"
      case .missingArgument(let wanted): "missing argument: expected \(wanted)"
      case .unexpectedArgument(let argument, let option?, _):
        "unexpected argument '\(argument)' (use --\(option))"
      case .unexpectedArgument(let argument, nil, let advice):
        "unexpected argument '\(argument)': \(advice)"
      case .required(let key, let name?): "missing option --\(key): add --\(key) \(name)"
      case .required(let key, nil): "missing option --\(key): see --help"
      }
    }
  }

  private var values: [String: [String]] = [:]
  /// The unit of each option whose value has one, such as "seconds".
  private var units: [String: String] = [:]
  /// The name of each option's value, such as "FILE".
  private var valueNames: [String: String] = [:]
  /// True if the command's usage ends with `-- COMMAND`, which has options of its own.
  private var endsWithCommand = false
  private var flags: Set<String> = []
  /// The positional arguments, in order.
  public private(set) var positionals: [String] = []
  /// True if `--help` was given anywhere; no other arguments are checked in this case.
  public private(set) var wantsHelp = false

  /// Parses `arguments` (without the words of the command itself).
  public init(_ arguments: some Sequence<String>, by table: OptionTable) throws(Problem) {
    let arguments = Array(arguments)
    endsWithCommand = table.positionals.hasPrefix("-- ")
    let options = arguments.prefix { $0 != "--" }
    if options.contains("--help") || options.contains("-h") {
      wantsHelp = true
      return
    }
    for entry in table.entries {
      units[entry.key] = entry.unit
      valueNames[entry.key] = entry.valueName
    }
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if argument == "--" {
        positionals += arguments[index...]
        break
      }
      guard argument.hasPrefix("--") else {
        positionals.append(argument)
        continue
      }
      let next = index < arguments.count ? arguments[index] : nil
      if try parse(argument.dropFirst(2), next: next, table) { index += 1 }
    }
    if positionals.count < table.positionalCount.lowerBound {
      throw .missingArgument(wanted: table.positionals)
    }
    if let unexpected = positionals.dropFirst(table.positionalCount.upperBound).first {
      for argument in positionals {
        guard let entry = table.entry(withOneHyphen: argument) else { continue }
        throw .unexpectedArgument(argument, option: entry.key)
      }
      // An app ID contains dots; the names of options and verbs do not.
      let isAppID = unexpected.contains(".") && !unexpected.contains("/")
      throw .unexpectedArgument(
        unexpected, option: isAppID ? table.entry("app")?.key : nil,
        advice: positionals.first.flatMap { table.verbAdvice[$0] } ?? table.surplusAdvice)
    }
  }

  /// Parses one option.
  ///
  /// Returns true if the next argument was used as its value.
  private mutating func parse(
    _ text: Substring, next: String?, _ table: OptionTable
  ) throws(Problem) -> Bool {
    let equals = text.firstIndex(of: "=")
    let name = String(equals.map { text[..<$0] } ?? text)
    let attached = equals.map { String(text[text.index(after: $0)...]) }
    guard let entry = table.entry(name) else {
      let counterpart = table.entries.first { $0.counterpart == name }?.key
      if counterpart == nil, table.hasPositional(name) {
        throw .notAnOption(key: name, usage: table.usage)
      }
      throw .unknown(
        key: name,
        nearest: counterpart ?? Suggestion.nearest(to: name, in: table.entries.map(\.key)))
    }
    let key = entry.key
    switch entry.kind {
    case .flag:
      guard attached == nil else { throw .unexpectedValue(key: key) }
      flags.insert(key)
      return false
    case .value(let name):
      if !entry.isRepeatable, values[key] != nil { throw .repeated(key: key) }
      // An empty path, for example from an unset variable, would refer to the current folder.
      if attached?.isEmpty ?? (next?.isEmpty == true), name == "DIR" || name.hasPrefix("FILE") {
        throw .badValue(key: key, value: "", wanted: name == "DIR" ? "a folder" : "a file")
      }
      if let attached {
        values[key, default: []].append(attached)
        return false
      }
      guard let next, !next.hasPrefix("--") else { throw .missingValue(key: key, name: name) }
      values[key, default: []].append(next)
      return true
    }
  }

  /// Sets values of an option from a file or the environment.
  ///
  /// Values from the command line take precedence. Returns false if the option was already given.
  @discardableResult
  public mutating func supply(_ key: String, _ values: [String]) -> Bool {
    guard !isGiven(key) else { return false }
    self.values[key] = values
    return true
  }

  /// Removes a value of an option, so that parsing can find further errors.
  public mutating func withdraw(_ key: String, _ value: String) {
    var left = values[key] ?? []
    if let index = left.firstIndex(of: value) { left.remove(at: index) }
    values[key] = left.isEmpty ? nil : left
  }

  /// Returns true if the flag was given.
  public func has(_ key: String) -> Bool { flags.contains(key) }

  /// Returns true if the option was given, either with a value or as a flag.
  public func isGiven(_ key: String) -> Bool { has(key) || values[key] != nil }

  /// Returns the value of an option that can be given only once.
  public func value(_ key: String) -> String? { values[key]?.last }

  /// Returns every value of a repeatable option, in order.
  public func values(_ key: String) -> [String] { values[key] ?? [] }

  /// Returns the value of a required option.
  public func required(_ key: String) throws(Problem) -> String {
    guard let value = value(key) else {
      let name = valueNames[key].map { endsWithCommand ? "\($0) before '--'" : $0 }
      throw .required(key: key, name: name)
    }
    return value
  }

  /// Returns the value as an integer within `range`.
  public func integer<Number: FixedWidthInteger & Sendable>(
    _ key: String, in range: ClosedRange<Number> = Number.min...Number.max
  ) throws(Problem) -> Number? {
    guard let text = value(key) else { return nil }
    guard let number = Number(text), range.contains(number) else {
      throw .badValue(
        key: key, value: text,
        wanted: "\(range.lowerBound)-\(range.upperBound)" + (units[key].map { " (\($0))" } ?? ""))
    }
    return number
  }

  /// Returns the value as a number of seconds within `range`, which can be a fraction.
  public func seconds(
    _ key: String, in range: ClosedRange<Int64>
  ) throws(Problem) -> Double? {
    assert(range.lowerBound >= 0, "a number of seconds is not negative")
    guard let text = value(key) else { return nil }
    let bounds = Double(range.lowerBound)...Double(range.upperBound)
    guard let seconds = Double(text), bounds.contains(seconds) else {
      throw .badValue(
        key: key, value: text,
        wanted: "a number of seconds from \(range.lowerBound) to \(range.upperBound)")
    }
    return seconds
  }

  /// Returns the choices as text: "a", "a or b", or "a, b or c"; `word` replaces "or".
  public static func list(_ choices: [String], _ word: String = "or") -> String {
    guard choices.count > 2, let last = choices.last else {
      return choices.joined(separator: " \(word) ")
    }
    return choices.dropLast().joined(separator: ", ") + " \(word) " + last
  }

  /// Returns the value as one of `choices`.
  public func choice(_ key: String, of choices: [String]) throws(Problem) -> String? {
    guard let text = value(key) else { return nil }
    guard choices.contains(text) else {
      throw .badValue(key: key, value: text, wanted: Self.list(choices))
    }
    return text
  }
}
