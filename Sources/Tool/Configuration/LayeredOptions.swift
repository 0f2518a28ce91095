import System

/// The options of a command that may also stand in the environment and in a file: what was typed wins over the
/// environment, and that over the file.
struct LayeredOptions {
  /// Why there are none.
  enum Failure: Error {
    /// The command line is wrong: exit status 2.
    case usage(CommandLineOptions.Problem)
    /// The environment or the file is wrong, a line each: exit status 1.
    case configuration([String])
  }

  /// Where a value stands.
  private enum Origin {
    case variable(String)
    case file(String, ConfigurationFile.Entry)
  }

  /// What stands in a file or the environment, under options that belong on a command line alone.
  private static let typedOnly: Set<String> = ["config", "check-config", "recover"]

  private(set) var options: CommandLineOptions
  private var origins: [String: Origin] = [:]

  /// Reads `arguments` by `table`, then the environment's variables that begin with `prefix`, then the file that
  /// `--config` names.
  init(
    _ arguments: [String], by table: OptionTable, prefix: String,
    environment: (String) -> String? = StateFolders.variable
  ) throws(Failure) {
    do throws(CommandLineOptions.Problem) {
      options = try CommandLineOptions(arguments, by: table)
    } catch {
      throw .usage(error)
    }
    if options.wantsHelp { return }
    let file = options.value("config") ?? environment(prefix + "CONFIG")
    for option in table.options where option.hasValue && !Self.typedOnly.contains(option.key) {
      let name = prefix + option.key.uppercased().replacing("-", with: "_")
      guard let value = environment(name) else { continue }
      let values =
        option.isRepeatable ? value.split(separator: ",").map(String.init) : [value]
      if options.supply(option.key, values) { origins[option.key] = .variable(name) }
    }
    if let file { try read(file, by: table) }
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
    var faults: [String] = []
    for entry in file.entries {
      func fault(_ what: String) { faults.append("\(path):\(entry.line): \(what)") }
      guard let option = known.first(where: { $0.key == entry.key }) else {
        if Self.typedOnly.contains(entry.key) {
          fault("\(entry.key) belongs on the command line: leave it out")
        } else {
          let nearest = Suggestion.nearest(to: entry.key, in: known.map(\.key))
          fault(
            "there is no option '\(entry.key)': "
              + (nearest.map { "did you mean '\($0)'?" } ?? "see `\(table.command) --help`"))
        }
        continue
      }
      if entry.values.isEmpty || entry.values.contains("") {
        fault("\(entry.key) needs a value: leave out the line for the default")
      } else if !option.isRepeatable, entry.values.count > 1 {
        fault("\(entry.key) takes one value: write no list")
      } else if options.supply(entry.key, entry.values) {
        origins[entry.key] = .file(path, entry)
      }
    }
    if !faults.isEmpty { throw .configuration(faults) }
  }

  /// What is wrong with a value, in the words of the place where it stands.
  func failure(_ problem: CommandLineOptions.Problem) -> Failure {
    guard case .badValue(let key, let value, let wanted) = problem, let origin = origins[key] else {
      return .usage(problem)
    }
    let fault = "'\(value)' is not understood: give \(wanted)"
    return switch origin {
    case .variable(let name): .configuration(["\(name) \(fault)"])
    case .file(let path, let entry):
      .configuration([
        "\(path):\(zip(entry.values, entry.valueLines).first { $0.0 == value }?.1 ?? entry.line): "
          + "\(key) \(fault)"
      ])
    }
  }
}
