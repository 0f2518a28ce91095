internal import BelfryWire
package import Transport

/// The files of a console and its session, with the response header fields that keep other sites out.
package struct ConsolePages: Sendable {
  private let files: PageFiles
  private let access: ConsoleAccess

  /// Creates the pages of a console, with the file `start` as the start page; `access` decides which requests are
  /// allowed.
  package init(start: String, access: ConsoleAccess) {
    files = PageFiles(start: start)
    self.access = access
  }

  /// Answers a request for a page or for the session; returns nil for any other path.
  package func answer(_ request: HTTP1Request) -> HTTP1Response? {
    if let refusal = access.foreignHost(request) { return refusal }
    if request.path == "/console/session" {
      var response = access.session(request)
      response.fields += Self.apiFields
      return response
    }
    return files.file(at: request.path).map { page($0, for: request) }
  }

  /// The content security policy: nothing from other origins, nothing inline, and no framing.
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
    "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].joined(separator: "; ")

  private static let pageFields: [(name: String, value: String)] = [
    ("content-security-policy", policy), ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"), ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
    // Browsers revalidate a file on each request, and use their cached copy if the file is unchanged.
    ("cache-control", "no-cache"),
  ]

  /// The header fields of every response with data.
  package static let apiFields: [(name: String, value: String)] = [
    ("cache-control", "no-store"), ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"), ("cross-origin-resource-policy", "same-origin"),
  ]

  private func page(_ file: PageFiles.File, for request: HTTP1Request) -> HTTP1Response {
    guard request.method == "GET" || request.method == "HEAD" else {
      return .failure(
        "\(request.method) is not allowed for this path", "use GET", status: 405)
    }
    let fields = Self.pageFields + [("etag", file.tag)]
    let known = (request.field("if-none-match") ?? "").split(separator: ",")
      .map { $0.filter { $0 != " " } }
    guard !known.contains(file.tag), !known.contains("W/\(file.tag)") else {
      return HTTP1Response(status: 304, fields: fields)
    }
    return HTTP1Response(
      status: 200, fields: fields + [("content-type", file.type)], body: .bytes(file.bytes))
  }
}
