/// The types that this module supports: the types of files that notifications and their apps use.
enum TypeTable {
  struct Row {
    var extensions: [String] = []
    var mimeTypes: [String] = []
    var parents: [String] = []
  }

  static let rows: [String: Row] = [
    "public.item": Row(),
    "public.content": Row(),
    "public.data": Row(parents: ["public.item"]),
    "public.directory": Row(parents: ["public.item"]),
    "public.folder": Row(parents: ["public.directory"]),
    "public.text": Row(parents: ["public.data", "public.content"]),
    "public.plain-text": Row(["txt", "text"], ["text/plain"], ["public.text"]),
    "public.utf8-plain-text": Row(parents: ["public.plain-text"]),
    "public.html": Row(["html", "htm"], ["text/html"], ["public.text"]),
    "public.xml": Row(["xml"], ["application/xml", "text/xml"], ["public.text"]),
    "public.json": Row(["json"], ["application/json"], ["public.text"]),
    "com.apple.property-list": Row(["plist"], [], ["public.data"]),
    "com.adobe.pdf": Row(["pdf"], ["application/pdf"], ["public.data", "public.content"]),
    "public.archive": Row(parents: ["public.data"]),
    "public.zip-archive": Row(["zip"], ["application/zip"], ["public.archive"]),
    "public.url": Row(parents: ["public.data"]),
    "public.file-url": Row(parents: ["public.url"]),
    "public.image": Row(parents: ["public.data", "public.content"]),
    "public.png": Row(["png"], ["image/png"], ["public.image"]),
    "public.jpeg": Row(["jpeg", "jpg", "jpe"], ["image/jpeg", "image/jpg"], ["public.image"]),
    "com.compuserve.gif": Row(["gif"], ["image/gif"], ["public.image"]),
    "public.heic": Row(["heic"], ["image/heic"], ["public.image"]),
    "public.tiff": Row(["tiff", "tif"], ["image/tiff"], ["public.image"]),
    "com.microsoft.bmp": Row(["bmp"], ["image/bmp"], ["public.image"]),
    "org.webmproject.webp": Row(["webp"], ["image/webp"], ["public.image"]),
    "public.svg-image": Row(["svg"], ["image/svg+xml"], ["public.image"]),
    "public.audiovisual-content": Row(parents: ["public.data", "public.content"]),
    "public.audio": Row(parents: ["public.audiovisual-content"]),
    "public.mp3": Row(["mp3"], ["audio/mpeg"], ["public.audio"]),
    "public.mpeg-4-audio": Row(["m4a"], ["audio/mp4", "audio/x-m4a"], ["public.audio"]),
    "com.microsoft.waveform-audio": Row(
      ["wav", "wave"], ["audio/vnd.wave", "audio/wav"], ["public.audio"]),
    "public.aiff-audio": Row(["aiff", "aif"], ["audio/aiff"], ["public.audio"]),
    "public.aifc-audio": Row(["aifc"], ["audio/aiff"], ["public.aiff-audio"]),
    "com.apple.coreaudio-format": Row(["caf"], ["audio/x-caf"], ["public.audio"]),
    "public.movie": Row(parents: ["public.audiovisual-content"]),
    "public.video": Row(parents: ["public.movie"]),
    "public.mpeg": Row(["mpg", "mpeg"], ["video/mpeg"], ["public.movie"]),
    "public.mpeg-2-video": Row(["m2v"], ["video/mpeg2"], ["public.video"]),
    "public.mpeg-4": Row(["mp4"], ["video/mp4"], ["public.movie"]),
    "com.apple.m4v-video": Row(["m4v"], ["video/x-m4v"], ["public.movie"]),
    "com.apple.quicktime-movie": Row(["mov", "qt"], ["video/quicktime"], ["public.movie"]),
    "public.avi": Row(["avi"], ["video/avi", "video/x-msvideo"], ["public.movie"]),
  ]

  private static let byExtension = index(\.extensions)
  private static let byMIMEType = index(\.mimeTypes)

  /// Returns the identifiers of types, keyed by lowercase extension or MIME type.
  ///
  /// If several types share an extension or a MIME type, the type whose identifier sorts first is used.
  private static func index(_ texts: KeyPath<Row, [String]>) -> [String: String] {
    var result: [String: String] = [:]
    for (identifier, row) in rows.sorted(by: { $0.key < $1.key }) {
      for text in row[keyPath: texts] where result[text] == nil { result[text] = identifier }
    }
    return result
  }

  static func identifier(ofExtension text: String) -> String? { byExtension[text.lowercased()] }

  static func identifier(ofMIMEType text: String) -> String? { byMIMEType[text.lowercased()] }

  /// Returns the identifiers of all direct and indirect parents of a type, excluding the type itself.
  static func ancestors(of identifier: String) -> Set<String> {
    var found: Set<String> = []
    var open = rows[identifier]?.parents ?? []
    while let parent = open.popLast() {
      guard found.insert(parent).inserted else { continue }
      open += rows[parent]?.parents ?? []
    }
    return found
  }
}

extension TypeTable.Row {
  init(_ extensions: [String], _ mimeTypes: [String], _ parents: [String]) {
    self.init(extensions: extensions, mimeTypes: mimeTypes, parents: parents)
  }
}
