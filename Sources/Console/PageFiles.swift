internal import CConsolePages
internal import Transport

/// The files of the console's pages, and the documents to which the pages link.
///
/// All files are embedded in the executable.
struct PageFiles: Sendable {
  /// A file in the form in which the server sends it.
  struct File: Sendable {
    let type: String
    let bytes: [UInt8]
    /// The entity tag, including its quotation marks: the hash of the bytes.
    let tag: String
  }

  private let files: [String: File]
  private let start: String

  /// Loads all files in the executable; `start` is the console's start page.
  init(start: String = "index.html") {
    self.start = start
    var files: [String: File] = [:]
    for index in 0..<console_page_count() {
      let page = unsafe console_page_at(index)
      let name = unsafe String(cString: page.name)
      let bytes = unsafe Array(UnsafeBufferPointer(start: page.bytes, count: page.length))
      let tag = SHA256.hash(bytes).bytes.prefix(16).map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }
      files[name] = File(type: Self.type(of: name), bytes: bytes, tag: "\"\(tag.joined())\"")
    }
    assert(files[start] != nil, "the start page exists")
    self.files = files
  }

  /// The names of all files.
  var names: [String] { files.keys.sorted() }

  /// Returns the file for a path; nil if the path does not refer to a file.
  func file(at path: String) -> File? {
    if path == "/" || path == "/console" || path == "/console/" { return files[start] }
    let prefix = "/console/"
    guard path.hasPrefix(prefix) else { return nil }
    return files[String(path.dropFirst(prefix.count))]
  }

  private static func type(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    // Browsers display Markdown as text only if it has this type.
    case "md": "text/plain; charset=utf-8"
    default: "application/octet-stream"
    }
  }
}
