import System

/// The options of a command that can also be set in the environment and in a file.
///
/// The command line takes precedence over the environment, and the environment over the file.
struct LayeredOptions {
  /// The reason that the options can't be used.
  enum Failure: Error {
    /// The command line has an error: exit status 2.
    case usage(CommandLineOptions.Problem)
    /// The environment or the file has errors, one per line: exit status 1.
    case configuration([String])
  }

  /// The origin of a value.
  private enum Origin {
    case variable(String)
    case file(String, ConfigurationFile.Entry)
    case credential(String)
  }

  /// Options that are allowed only on the command line, not in a file or the environment.
  private static let typedOnly: Set<String> = ["config", "check-config", "recover"]

  /// An error in the environment, with line number 0, or in the file.
  private struct Fault {
    let line: Int
    let text: String
  }

  private(set) var options: CommandLineOptions
  /// Messages about variables that have the prefix but don't belong to an option, one per line.
  private(set) var warnings: [String] = []
  private var faults: [Fault] = []
  private var origins: [String: Origin] = [:]

  /// Parses `arguments` according to `table`, then the environment variables that begin with `prefix`, and then the
  /// file specified with `--config`.
  init(
    _ arguments: [String], by table: OptionTable, prefix: String,
    environment: (String) -> String? = StateFolders.variable,
    names: @autoclosure () -> [String] = Self.variableNames
  ) throws(Failure) {
    do throws(CommandLineOptions.Problem) {
      options = try CommandLineOptions(arguments, by: table)
    } catch {
      throw .usage(error)
    }
    if options.wantsHelp { return }
    let file = options.value("config") ?? environment(prefix + "CONFIG")
    var known: Set<String> = [prefix + "CONFIG"]
    for option in table.options where option.hasValue && !Self.typedOnly.contains(option.key) {
      let name = prefix + Self.variable(option.key)
      known.insert(name)
      guard let value = environment(name) else { continue }
      let values =
        option.isRepeatable ? value.split(separator: ",").map(String.init) : [value]
      if options.supply(option.key, values) { origins[option.key] = .variable(name) }
    }
    for name in names().sorted() where name.hasPrefix(prefix) && !known.contains(name) {
      if let typed = Self.typedOnly.first(where: { prefix + Self.variable($0) == name }) {
        warnings.append("ignoring \(name): --\(typed) can only be set on the command line")
        continue
      }
      // Compare the names without the common prefix.
      let nearest = Suggestion.nearest(
        to: String(name.dropFirst(prefix.count)),
        in: known.map { String($0.dropFirst(prefix.count)) })
      warnings.append(
        "ignoring unknown variable \(name): "
          + (nearest.map { "did you mean \(prefix)\($0)?" } ?? "see '\(table.command) --help'"))
    }
    if let file { try read(file, by: table) }
  }

  /// Returns the name of an option's environment variable, without the prefix.
  private static func variable(_ key: String) -> String {
    key.uppercased().replacing("-", with: "_")
  }

  /// Throws all errors in the environment and the file, ordered by line.
  func requireFaultless() throws(Failure) {
    guard !faults.isEmpty else { return }
    let inOrder = faults.enumerated().sorted {
      ($0.element.line, $0.offset) < ($1.element.line, $1.offset)
    }
    throw .configuration(inOrder.map(\.element.text))
  }

  private mutating func read(_ path: String, by table: OptionTable) throws(Failure) {
    let path = FileSystem.absolute(path)
    let file: ConfigurationFile
    do throws(ConfigurationFile.Fault) {
      file = try ConfigurationFile(path)
    } catch {
      throw .configuration([error.line == 0 ? error.what : "\(path):\(error.line): \(error.what)"])
    }
    let known = table.options.filter { !Self.typedOnly.contains($0.key) }
    func fault(_ line: Int, _ what: String) {
      faults.append(Fault(line: line, text: "\(path):\(line): \(what)"))
    }
    for one in file.faults { fault(one.line, one.what) }
    for entry in file.entries {
      guard let option = known.first(where: { $0.key == entry.key }) else {
        if Self.typedOnly.contains(entry.key) {
          fault(entry.line, "\(entry.key) can only be set on the command line")
        } else {
          let nearest = Suggestion.nearest(to: entry.key, in: known.map(\.key))
          fault(
            entry.line,
            "unknown option '\(entry.key)': "
              + (nearest.map { "did you mean '\($0)'?" } ?? "see '\(table.command) --help'"))
        }
        continue
      }
      if entry.values.isEmpty || entry.values.contains("") {
        fault(entry.line, "missing value for \(entry.key): remove the line to use the default")
      } else if !option.isRepeatable, entry.values.count > 1 {
        fault(entry.line, "\(entry.key) can only have one value, not a list")
      } else if options.supply(entry.key, entry.values) {
        origins[entry.key] = .file(path, entry)
      }
    }
  }

  /// Sets each of these options to the path of the service credential with the same name, if there is one.
  ///
  /// Does nothing if the user specified any of these options.
  mutating func supplyCredentials(
    _ keys: [String], environment: (String) -> String? = StateFolders.variable
  ) {
    guard !keys.contains(where: options.isGiven) else { return }
    for key in keys {
      guard let file = ServiceCredentials.file(key, environment: environment) else { continue }
      options.supply(key, [file])
      origins[key] = .credential(file)
    }
  }

  /// Records an error in a value and the value's origin, and removes the value so that further errors can be found.
  ///
  /// Returns false if the value was on the command line.
  mutating func note(_ problem: CommandLineOptions.Problem) -> Bool {
    switch problem {
    case .badValue(let key, let value, let wanted):
      guard let origin = origins[key] else { return false }
      func fault(_ name: String) -> String {
        "invalid value '\(value)' for \(name): expected \(wanted)"
      }
      switch origin {
      case .variable(let name), .credential(let name):
        faults.append(Fault(line: 0, text: fault(name)))
      case .file(let path, let entry):
        let line =
          zip(entry.values, entry.valueLines).first { $0.0 == value }?.1 ?? entry.line
        faults.append(Fault(line: line, text: "\(path):\(line): \(fault(key))"))
      }
      let before = options.values(key).count
      options.withdraw(key, value)
      return options.values(key).count < before
    case .required(let key, _):
      // A missing option has no position, so use the position of the option that requires it.
      guard let other = Self.pairs[key], let place = place(of: other) else { return false }
      faults.append(
        Fault(line: place.line, text: "\(place.text): \(other) requires \(key): set both"))
      for value in options.values(other) { options.withdraw(other, value) }
      return true
    default: return false
    }
  }

  /// Options that must be used together.
  private static let pairs = [
    "server-key": "server-certificate", "server-certificate": "server-key",
  ]

  /// Returns the position of an option in the file or the environment, or nil if the option was on the command line or
  /// wasn't given.
  func place(of key: String) -> (text: String, line: Int)? {
    switch origins[key] {
    case nil: nil
    case .variable(let name), .credential(let name): (name, 0)
    case .file(let path, let entry): ("\(path):\(entry.line)", entry.line)
    }
  }

  /// The names of the environment variables.
  static var variableNames: [String] {
    // All threads share glibc's `environ`, but the initial environment of the process never changes.
    let bytes = (try? FileSystem.read("/proc/self/environ", limit: environmentBytesMax)) ?? []
    return bytes.split(separator: 0).map {
      String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }
  }

  /// The maximum size, in bytes, of a process's environment: more than Linux allows for an argument list by default.
  private static let environmentBytesMax = 8_388_608
}
