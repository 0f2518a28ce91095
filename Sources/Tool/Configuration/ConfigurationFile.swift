import CYaml
import System

/// A configuration file in YAML (1.1, as implemented by libyaml): a single mapping from option names to a string or a
/// list of strings.
///
/// A plain scalar is used literally, as on a command line: `on` stays `on`, and `0123` isn't converted to a number.
struct ConfigurationFile {
  /// An option in the file.
  struct Entry: Equatable {
    let key: String
    let values: [String]
    /// The line number of the key, starting at 1.
    let line: Int
    /// The line numbers of the values.
    let valueLines: [Int]
  }

  /// An error on a line; line 0 represents the file as a whole.
  struct Fault: Error, Equatable {
    let line: Int
    let what: String
  }

  let path: String
  private(set) var entries: [Entry] = []
  /// All errors in the format of the file.
  private(set) var faults: [Fault] = []

  /// Reads the file at `path`.
  ///
  /// Throws if the file can't be read.
  init(_ path: String) throws(Fault) {
    self.path = path
    let bytes: [UInt8]
    do throws(SystemFailure) {
      bytes = try FileSystem.readRegularFile(path, limit: Self.bytesMax)
    } catch {
      throw Fault(line: 0, what: "\(error)")
    }
    var parser = YAMLEvents(bytes)
    do throws(Fault) {
      try read(&parser)
    } catch {
      faults.append(error)
    }
  }

  /// The maximum size of a file, in bytes: a few thousand lines of options.
  private static let bytesMax = 1_048_576
  /// The maximum number of values in a list: more than any gateway has listeners or host names.
  private static let valuesMax = 1_000

  private mutating func read(_ parser: inout YAMLEvents) throws(Fault) {
    var event = try parser.next()
    while case .structure = event.kind { event = try parser.next() }
    // An empty file contains neither options nor a document.
    if case .end = event.kind { return }
    guard case .mapping = event.kind else {
      throw Fault(line: event.line, what: "expected a mapping: write one 'option: value' per line")
    }
    while let key = try nextKey(&parser) {
      guard case .scalar(let name) = key.kind else {
        faults.append(
          Fault(line: key.line, what: "expected the name of an option: write 'option: value'"))
        try parser.skip(key.kind)
        try parser.skip(parser.next().kind)
        continue
      }
      let values = try values(of: name, &parser)
      if let former = entries.first(where: { $0.key == name }) {
        faults.append(
          Fault(
            line: key.line,
            what:
              "\(name) is already set on line \(former.line): remove one of the two lines; if the option can have "
              + "several values, write them as one list"))
      } else if let values {
        entries.append(
          Entry(
            key: name, values: values.map(\.text), line: key.line, valueLines: values.map(\.line)))
      }
    }
    event = try parser.next()
    while case .end = event.kind {
      if parser.isAtEnd { return }
      event = try parser.next()
    }
    throw Fault(
      line: event.line,
      what: "a second document begins here: write all options in the first document")
  }

  /// Returns the node that contains the next option's name, or nil at the end of the mapping.
  private func nextKey(_ parser: inout YAMLEvents) throws(Fault) -> (
    kind: YAMLEvents.Kind, line: Int
  )? {
    let key = try parser.next()
    if case .mappingEnd = key.kind { return nil }
    return key
  }

  /// Returns the strings of an option, or nil after recording that they are invalid.
  private mutating func values(of name: String, _ parser: inout YAMLEvents) throws(Fault) -> [(
    text: String, line: Int
  )]? {
    let event = try parser.next()
    switch event.kind {
    case .scalar(let text): return [(text, event.line)]
    case .sequence: break
    default:
      faults.append(
        Fault(line: event.line, what: "expected a string or a list of strings for \(name)"))
      try parser.skip(event.kind)
      return nil
    }
    var values: [(text: String, line: Int)] = []
    var fault: Fault?
    while true {
      let element = try parser.next()
      switch element.kind {
      case .sequenceEnd:
        if let fault { faults.append(fault) }
        return fault == nil ? values : nil
      case .scalar(let text):
        values.append((text, element.line))
        if values.count > Self.valuesMax {
          fault =
            fault
            ?? Fault(line: element.line, what: "\(name) has more than \(Self.valuesMax) values")
          values = []
        }
      default:
        fault =
          fault ?? Fault(line: element.line, what: "expected a plain list of strings for \(name)")
        try parser.skip(element.kind)
      }
    }
  }
}

/// The events of libyaml's parser that occur in a flat file.
@safe private struct YAMLEvents: ~Copyable {
  enum Kind {
    case structure
    case mapping
    case mappingEnd
    case sequence
    case sequenceEnd
    case scalar(String)
    case end
    /// An alias, which no option uses.
    case other
  }

  /// The maximum nesting depth of values that are skipped because no option accepts them, such as values in an earlier
  /// format or in another program's file.
  private static let depthMax = 16

  /// True if the end of the stream has been reached.
  private(set) var isAtEnd = false
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>

  init(_ bytes: [UInt8]) {
    unsafe parser = .allocate(capacity: 1)
    unsafe input = .allocate(capacity: bytes.count)
    _ = unsafe input.initialize(from: bytes)
    unsafe yaml_parser_initialize(parser)
    unsafe yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
  }

  deinit {
    unsafe yaml_parser_delete(parser)
    unsafe parser.deallocate()
    unsafe input.deallocate()
  }

  /// Returns the next event and its line number, starting at 1.
  mutating func next() throws(ConfigurationFile.Fault) -> (kind: Kind, line: Int) {
    var event = unsafe yaml_event_t()
    guard unsafe yaml_parser_parse(parser, &event) == 1 else {
      let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) }
      throw ConfigurationFile.Fault(
        line: unsafe Int(parser.pointee.problem_mark.line) + 1,
        what: "invalid YAML: \(problem ?? "it cannot be read")")
    }
    defer { unsafe yaml_event_delete(&event) }
    let line = unsafe Int(event.start_mark.line) + 1
    if unsafe event.type == YAML_STREAM_END_EVENT { isAtEnd = true }
    return (unsafe Self.kind(of: event), line)
  }

  /// Skips the value that begins with this event, including any nested values.
  mutating func skip(_ kind: Kind) throws(ConfigurationFile.Fault) {
    var (depth, kind) = (0, kind)
    while true {
      // Limit the depth, because each level costs libyaml as much time as all the levels above it together.
      if depth > Self.depthMax {
        throw ConfigurationFile.Fault(
          line: unsafe Int(parser.pointee.mark.line) + 1,
          what: "more than \(Self.depthMax) nested levels: write one 'option: value' per line")
      }
      switch kind {
      case .mapping, .sequence: depth += 1
      case .mappingEnd, .sequenceEnd: depth -= 1
      case .structure, .scalar, .end, .other: break
      }
      guard depth > 0 else { return }
      kind = try next().kind
    }
  }

  private static func kind(of event: yaml_event_t) -> Kind {
    switch unsafe event.type {
    case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT: .structure
    case YAML_STREAM_END_EVENT, YAML_DOCUMENT_END_EVENT: .end
    case YAML_MAPPING_START_EVENT: .mapping
    case YAML_MAPPING_END_EVENT: .mappingEnd
    case YAML_SEQUENCE_START_EVENT: .sequence
    case YAML_SEQUENCE_END_EVENT: .sequenceEnd
    case YAML_SCALAR_EVENT:
      .scalar(
        unsafe String(
          decoding: UnsafeBufferPointer(
            start: event.data.scalar.value, count: event.data.scalar.length), as: UTF8.self))
    default: .other
    }
  }
}
