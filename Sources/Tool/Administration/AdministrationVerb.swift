import BelfryWire
import Gateway
import System

/// An administration command, such as `belfry key add`: its options, request, and output.
struct AdministrationVerb: Sendable {
  /// The verb, which follows the noun on the command line.
  let name: String
  let table: OptionTable
  /// The members that are shown as columns; with `--json`, all members of the response are shown.
  let columns: [String]
  /// A function that formats a created object as text; if nil, the object's columns are shown.
  var text: (@Sendable (JSONObject) -> String)?
  let request: @Sendable (CommandLineOptions) throws -> AdministrationRequest
  /// A function that executes the command without a gateway; it returns nil if the options require a gateway.
  var withoutGateway: (@Sendable (CommandLineOptions) throws -> [JSONObject]?)?
  /// A function that completes the command with the data in the response, for example, by writing the file specified
  /// with `--out`.
  let finish: Finish
  /// A function that returns the question that a user on a terminal must answer before the command changes anything;
  /// nil if the command does not ask.
  let question: Question?
  /// The columns that are shown on a terminal, if they differ from `columns`.
  var terminalColumns: [String]?

  typealias Question = @Sendable (CommandLineOptions, GatewayAccess) throws -> String?
  typealias Finish =
    @Sendable ([JSONObject], CommandLineOptions, _ out: ReservedFile?) throws -> [JSONObject]

  /// The number of bytes that must be available for the file specified with `--out`; a key and a certificate chain take
  /// up a few thousand bytes.
  private static let outBytes = 65_536

  /// The kind of objects that the verb lists or clears, as a plural noun; nil if the verb creates or removes a single
  /// object.
  let listed: String?
  /// A function that returns what to add to the message that a list is empty, or nil.
  var emptyNote: (@Sendable (CommandLineOptions, GatewayAccess) -> String?)?
  /// True if a list omits the columns that are empty in every line.
  var hidesEmptyColumns = false
  /// A function that returns a line as the table shows it; with `--json`, lines are printed unchanged.
  let shown: @Sendable (JSONObject) -> JSONObject

  init(
    _ noun: String, _ name: String, _ summary: String, positionals: String = "",
    positionalCount: ClosedRange<Int> = 0...0, options: [OptionTable.Entry] = [],
    columns: [String], listing: String? = nil,
    shown: @escaping @Sendable (JSONObject) -> JSONObject = { $0 },
    text: (@Sendable (JSONObject) -> String)? = nil,
    question: Question? = nil,
    finish: @escaping Finish = { lines, _, _ in lines },
    request: @escaping @Sendable (CommandLineOptions) throws -> AdministrationRequest
  ) {
    self.name = name
    self.question = question
    let force = question == nil ? [] : [Confirmation.forceOption]
    listed = listing ?? (name == "list" ? "\(noun)s" : nil)
    table = OptionTable(
      command: "belfry \(noun)\(name.isEmpty ? "" : " \(name)")", summary: summary,
      positionals: positionals, positionalCount: positionalCount,
      options + force + [
        .value(
          "data", "DIR", default: StateFolders.gatewayDefault, "the gateway's data folder"),
        .flag("json", "one JSON object per line"),
      ])
    self.columns = columns
    self.shown = shown
    self.text = text
    self.finish = finish
    self.request = request
  }

  /// Returns the columns to show for these lines, without empty columns if `hidesEmptyColumns` is true.
  func shownColumns(_ lines: [JSONObject]) -> [String] {
    if let terminalColumns, RawTerminal.outputWidth != nil { return terminalColumns }
    guard hidesEmptyColumns else { return columns }
    return columns.filter { column in lines.contains { $0[column] != nil } }
  }

  /// The header of the table.
  ///
  /// The output for a created object has no header, so that a script can use the object's ID.
  var header: OutputTable.Header {
    if let listed { return .headings(of: listed) }
    return columns.count > 1 && name != "add" ? .headings(of: "changes") : .none
  }

  /// Executes the command as the owner of the gateway's folder.
  func perform(_ options: CommandLineOptions) throws -> [JSONObject] {
    if let lines = try withoutGateway?(options) { return lines }
    let request = try request(options)
    // Reserve the file before creating anything: if a credential's file couldn't be written, the credential would be
    // valid but its private key would be lost.
    let out = try options.value("out").map(Self.reserve)
    let folder = FileSystem.absolute(options.value("data") ?? StateFolders.gateway)
    let owner = try FolderOwner.act(in: folder, out == nil ? .forGood : .untilReturn)
    noteOtherGateway(folder)
    if let question, Confirmation.isPossible, !options.has("force"),
      let text = try question(options, GatewayAccess(folder: folder))
    {
      try Confirmation.require(text)
    }
    let outcome = Result { try GatewayAccess(folder: folder).perform(request) }
    // The file specified with `--out` belongs to the caller, not to the owner of the gateway's folder.
    if owner != nil, out != nil { try FolderOwner.returnToRoot() }
    return try finish(outcome.get(), options, out)
  }

  /// Prints a note if the folder's gateway is stopped while a gateway with a port offset is running.
  ///
  /// A gateway that failed to start also leaves a folder, which the user might mistake for that of the running gateway.
  private func noteOtherGateway(_ folder: String) {
    func isRunning(_ folder: String) -> Bool {
      (try? GatewayAccess(folder: folder).status()) != nil
    }
    let gateway = GatewayFolder(path: folder)
    let others = gateway.offsetFolders
    guard !others.isEmpty, (try? gateway.requireGateway()) != nil, !isRunning(folder),
      let other = others.first(where: isRunning)
    else { return }
    Output.error(
      "no gateway is running in \(folder), so this command uses the stopped gateway's data",
      do: "for the running gateway in \(other), add --data \(other)")
  }

  /// Reserves the file specified with `--out`.
  ///
  /// An existing file is never replaced, because it might contain the only copy of a private key or of an invitation.
  static func reserve(_ file: String) throws -> ReservedFile {
    let path = FileSystem.absolute(file)
    let reserved = try ReservedFile(path, byteCount: outBytes)
    // A script may have created an empty file, for example with mktemp.
    guard (FileSystem.byteCount(of: path) ?? 0) == 0 else {
      throw AdministrationFailure(
        .conflict, "\(path) already exists", do: "choose another --out, or move the file away")
    }
    return reserved
  }
}

/// A noun, such as `key`, with its verbs, which work on running and stopped gateways.
struct AdministrationNoun: Sendable {
  let name: String
  let verbs: [AdministrationVerb]

  /// The option table of each verb.
  var tables: [OptionTable] { verbs.map(\.table) }

  /// Returns true if `arguments` begin with one of the noun's verbs.
  func has(_ arguments: [String]) -> Bool {
    verbs.contains { $0.name == arguments.first }
  }

  /// Runs the verb at the beginning of `arguments`.
  ///
  /// Returns the exit status.
  func run(_ arguments: [String]) -> Int32 {
    guard let first = arguments.first else {
      Output.error("missing command after 'belfry \(name)'", do: "use \(verbNames)")
      return 2
    }
    if first == "--help" {
      Output.help(tables)
      return 0
    }
    guard let verb = verbs.first(where: { $0.name == first }) else {
      let nearest = Suggestion.nearest(to: first, in: verbs.map(\.name))
      Output.error(
        "unknown command 'belfry \(name) \(first)'",
        do: nearest.map { "did you mean '\($0)'?" } ?? "use \(verbNames)")
      return 2
    }
    return Self.run(verb, Array(arguments.dropFirst()))
  }

  /// Runs a verb with the arguments that follow it.
  static func run(_ verb: AdministrationVerb, _ arguments: [String]) -> Int32 {
    verb.table.run(arguments) { options in
      let lines: [JSONObject]
      do {
        lines = try verb.perform(options)
      } catch let failure as AdministrationFailure where failure.kind == .invalid {
        throw UsageError("\(failure)")
      }
      if let text = verb.text, !options.has("json"), !lines.isEmpty {
        for line in lines { Output.line(OutputTable.printable(text(line))) }
        return 0
      }
      if lines.isEmpty, let note = verb.emptyNote {
        let folder = FileSystem.absolute(options.value("data") ?? StateFolders.gateway)
        if let text = note(options, GatewayAccess(folder: folder)) {
          Output.error(text)
          return 0
        }
      }
      let isJSON = options.has("json")
      OutputTable.show(
        isJSON ? lines : lines.map(verb.shown), columns: verb.shownColumns(lines), verb.header,
        asJSON: isJSON)
      return 0
    }
  }

  private var verbNames: String { verbs.map(\.name).joined(separator: ", ") }
}
