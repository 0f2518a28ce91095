/// The type of a file or of other data, identified by its uniform type identifier.
///
/// The module knows the types that notifications and their apps use. If an app declares or imports a type with any
/// other identifier, that type has neither extensions nor parents.
public struct UTType: Hashable, Sendable {
  /// The uniform type identifier, such as `public.png`.
  public let identifier: String

  /// Creates a type that this module knows; nil for any other identifier.
  public init?(_ identifier: String) {
    guard TypeTable.rows[identifier] != nil else { return nil }
    self.identifier = identifier
  }

  /// Creates a type that this app declares; the parent type is ignored.
  public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self.identifier = identifier
  }

  /// Creates a type that another app declares and this app uses; the parent type is ignored.
  public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self.identifier = identifier
  }

  private init(known identifier: String) { self.identifier = identifier }

  /// Creates the type for a file name extension; nil if the module knows no such type that conforms to `supertype`.
  public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
    guard let found = TypeTable.identifier(ofExtension: filenameExtension) else { return nil }
    self.init(known: found)
    guard conforms(to: supertype) else { return nil }
  }

  /// Creates the type for a MIME type; nil if the module knows no such type that conforms to `supertype`.
  public init?(mimeType: String, conformingTo supertype: UTType = .data) {
    guard let found = TypeTable.identifier(ofMIMEType: mimeType) else { return nil }
    self.init(known: found)
    guard conforms(to: supertype) else { return nil }
  }

  /// The preferred file name extension of the type; nil if the type has none.
  public var preferredFilenameExtension: String? {
    TypeTable.rows[identifier]?.extensions.first
  }

  /// The preferred MIME type of the type; nil if the type has none.
  public var preferredMIMEType: String? { TypeTable.rows[identifier]?.mimeTypes.first }

  /// The types that this type conforms to, excluding itself.
  public var supertypes: Set<UTType> {
    Set(TypeTable.ancestors(of: identifier).map(UTType.init(known:)))
  }

  /// Returns whether the type is equal to or conforms to the other type.
  public func conforms(to type: UTType) -> Bool {
    self == type || TypeTable.ancestors(of: identifier).contains(type.identifier)
  }

  /// Returns whether the type conforms to the other type without being equal to it.
  public func isSubtype(of type: UTType) -> Bool { self != type && conforms(to: type) }

  /// Returns whether the other type conforms to this one without being equal to it.
  public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }
}

extension UTType: CustomStringConvertible {
  /// The identifier of the type.
  public var description: String { identifier }
}

extension UTType {
  /// The base type of all items.
  public static let item = UTType(known: "public.item")
  /// The base type of documents.
  public static let content = UTType(known: "public.content")
  /// The base type of data.
  public static let data = UTType(known: "public.data")
  /// A directory in a file system.
  public static let directory = UTType(known: "public.directory")
  /// A folder that is visible to the user.
  public static let folder = UTType(known: "public.folder")
  /// The base type of text.
  public static let text = UTType(known: "public.text")
  /// Plain text in any encoding.
  public static let plainText = UTType(known: "public.plain-text")
  /// Plain text that is encoded in UTF-8, without a file name extension of its own.
  public static let utf8PlainText = UTType(known: "public.utf8-plain-text")
  /// An HTML document (`public.html`), with the file name extension `.html` or `.htm`.
  public static let html = UTType(known: "public.html")
  /// An XML document (`public.xml`), with the file name extension `.xml`.
  public static let xml = UTType(known: "public.xml")
  /// A JSON document (`public.json`), with the file name extension `.json`.
  public static let json = UTType(known: "public.json")
  /// A property list (`com.apple.property-list`), with the file name extension `.plist`.
  public static let propertyList = UTType(known: "com.apple.property-list")
  /// A PDF document (`com.adobe.pdf`), with the file name extension `.pdf`.
  public static let pdf = UTType(known: "com.adobe.pdf")
  /// The base type of archives.
  public static let archive = UTType(known: "public.archive")
  /// A ZIP archive (`public.zip-archive`), with the file name extension `.zip`.
  public static let zip = UTType(known: "public.zip-archive")
  /// A URL of a file or of any other resource.
  public static let url = UTType(known: "public.url")
  /// A URL of a file.
  public static let fileURL = UTType(known: "public.file-url")
  /// The base type of images.
  public static let image = UTType(known: "public.image")
  /// A PNG image (`public.png`), with the file name extension `.png`.
  public static let png = UTType(known: "public.png")
  /// A JPEG image (`public.jpeg`), with the file name extension `.jpeg`, `.jpg`, or `.jpe`.
  public static let jpeg = UTType(known: "public.jpeg")
  /// A GIF image (`com.compuserve.gif`), with the file name extension `.gif`.
  public static let gif = UTType(known: "com.compuserve.gif")
  /// An HEIC image (`public.heic`), with the file name extension `.heic`.
  public static let heic = UTType(known: "public.heic")
  /// A TIFF image (`public.tiff`), with the file name extension `.tiff` or `.tif`.
  public static let tiff = UTType(known: "public.tiff")
  /// A Windows bitmap image (`com.microsoft.bmp`), with the file name extension `.bmp`.
  public static let bmp = UTType(known: "com.microsoft.bmp")
  /// A WebP image (`org.webmproject.webp`), with the file name extension `.webp`.
  public static let webP = UTType(known: "org.webmproject.webp")
  /// An SVG image (`public.svg-image`), with the file name extension `.svg`.
  public static let svg = UTType(known: "public.svg-image")
  /// The base type of audio and video.
  public static let audiovisualContent = UTType(known: "public.audiovisual-content")
  /// The base type of audio.
  public static let audio = UTType(known: "public.audio")
  /// An audio file in MP3 format.
  public static let mp3 = UTType(known: "public.mp3")
  /// An audio file in MPEG-4 format.
  public static let mpeg4Audio = UTType(known: "public.mpeg-4-audio")
  /// An audio file in WAV format.
  public static let wav = UTType(known: "com.microsoft.waveform-audio")
  /// An audio file in AIFF format.
  public static let aiff = UTType(known: "public.aiff-audio")
  /// The base type of movies, with or without audio.
  public static let movie = UTType(known: "public.movie")
  /// The base type of video without audio.
  public static let video = UTType(known: "public.video")
  /// An MPEG-1 or MPEG-2 movie.
  public static let mpeg = UTType(known: "public.mpeg")
  /// MPEG-2 video without audio (`public.mpeg-2-video`), with the file name extension `.m2v`.
  public static let mpeg2Video = UTType(known: "public.mpeg-2-video")
  /// An MPEG-4 movie (`public.mpeg-4`), with the file name extension `.mp4`.
  public static let mpeg4Movie = UTType(known: "public.mpeg-4")
  /// An MPEG-4 movie from Apple's store.
  public static let appleProtectedMPEG4Video = UTType(known: "com.apple.m4v-video")
  /// A QuickTime movie (`com.apple.quicktime-movie`), with the file name extension `.mov` or `.qt`.
  public static let quickTimeMovie = UTType(known: "com.apple.quicktime-movie")
  /// An AVI movie (`public.avi`), with the file name extension `.avi`.
  public static let avi = UTType(known: "public.avi")
}
