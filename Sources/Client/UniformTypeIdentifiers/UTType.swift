/// The type of a file or of other data, by its uniform type identifier.
///
/// The module knows the types that notifications and their apps handle; any other identifier is a type without
/// extensions and parents.
public struct UTType: Hashable, Sendable {
  /// The uniform type identifier.
  public let identifier: String

  /// A type that this module knows.
  public init?(_ identifier: String) {
    guard TypeTable.rows[identifier] != nil else { return nil }
    self.identifier = identifier
  }

  /// A type that the app declares.
  public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self.identifier = identifier
  }

  /// A type that the app uses and another one declares.
  public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self.identifier = identifier
  }

  private init(known identifier: String) { self.identifier = identifier }

  /// The type of files with an extension; nil if the module knows none that conforms to the type.
  public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
    guard let found = TypeTable.identifier(ofExtension: filenameExtension) else { return nil }
    self.init(known: found)
    guard conforms(to: supertype) else { return nil }
  }

  /// The type with a MIME type; nil if the module knows none that conforms to the type.
  public init?(mimeType: String, conformingTo supertype: UTType = .data) {
    guard let found = TypeTable.identifier(ofMIMEType: mimeType) else { return nil }
    self.init(known: found)
    guard conforms(to: supertype) else { return nil }
  }

  /// The usual extension of files of the type.
  public var preferredFilenameExtension: String? {
    TypeTable.rows[identifier]?.extensions.first
  }

  /// The usual MIME type.
  public var preferredMIMEType: String? { TypeTable.rows[identifier]?.mimeTypes.first }

  /// The types that this one conforms to, without itself.
  public var supertypes: Set<UTType> {
    Set(TypeTable.ancestors(of: identifier).map(UTType.init(known:)))
  }

  /// Whether the type is the other one, or a kind of it.
  public func conforms(to type: UTType) -> Bool {
    self == type || TypeTable.ancestors(of: identifier).contains(type.identifier)
  }

  /// Whether the type is a kind of the other one.
  public func isSubtype(of type: UTType) -> Bool { self != type && conforms(to: type) }

  /// Whether the other type is a kind of this one.
  public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }
}

extension UTType: CustomStringConvertible {
  /// The identifier.
  public var description: String { identifier }
}

extension UTType {
  /// Anything.
  public static let item = UTType(known: "public.item")
  /// A document.
  public static let content = UTType(known: "public.content")
  /// Bytes.
  public static let data = UTType(known: "public.data")
  /// A directory.
  public static let directory = UTType(known: "public.directory")
  /// A folder of the user's.
  public static let folder = UTType(known: "public.folder")
  /// A text.
  public static let text = UTType(known: "public.text")
  /// A text without format.
  public static let plainText = UTType(known: "public.plain-text")
  /// A text without format, in UTF-8.
  public static let utf8PlainText = UTType(known: "public.utf8-plain-text")
  /// A page of the web.
  public static let html = UTType(known: "public.html")
  /// An XML file.
  public static let xml = UTType(known: "public.xml")
  /// A JSON file.
  public static let json = UTType(known: "public.json")
  /// A property list.
  public static let propertyList = UTType(known: "com.apple.property-list")
  /// A PDF file.
  public static let pdf = UTType(known: "com.adobe.pdf")
  /// An archive.
  public static let archive = UTType(known: "public.archive")
  /// A ZIP archive.
  public static let zip = UTType(known: "public.zip-archive")
  /// An address.
  public static let url = UTType(known: "public.url")
  /// The address of a file.
  public static let fileURL = UTType(known: "public.file-url")
  /// A picture.
  public static let image = UTType(known: "public.image")
  /// A PNG picture.
  public static let png = UTType(known: "public.png")
  /// A JPEG picture.
  public static let jpeg = UTType(known: "public.jpeg")
  /// A GIF picture.
  public static let gif = UTType(known: "com.compuserve.gif")
  /// An HEIC picture.
  public static let heic = UTType(known: "public.heic")
  /// A TIFF picture.
  public static let tiff = UTType(known: "public.tiff")
  /// A Windows bitmap.
  public static let bmp = UTType(known: "com.microsoft.bmp")
  /// A WebP picture.
  public static let webP = UTType(known: "org.webmproject.webp")
  /// An SVG picture.
  public static let svg = UTType(known: "public.svg-image")
  /// Sounds or films.
  public static let audiovisualContent = UTType(known: "public.audiovisual-content")
  /// A sound.
  public static let audio = UTType(known: "public.audio")
  /// An MP3 sound.
  public static let mp3 = UTType(known: "public.mp3")
  /// An MPEG-4 sound.
  public static let mpeg4Audio = UTType(known: "public.mpeg-4-audio")
  /// A WAV sound.
  public static let wav = UTType(known: "com.microsoft.waveform-audio")
  /// An AIFF sound.
  public static let aiff = UTType(known: "public.aiff-audio")
  /// A film, with or without sound.
  public static let movie = UTType(known: "public.movie")
  /// A film without sound.
  public static let video = UTType(known: "public.video")
  /// An MPEG-1 or MPEG-2 film.
  public static let mpeg = UTType(known: "public.mpeg")
  /// An MPEG-2 film.
  public static let mpeg2Video = UTType(known: "public.mpeg-2-video")
  /// An MPEG-4 film.
  public static let mpeg4Movie = UTType(known: "public.mpeg-4")
  /// An MPEG-4 film of Apple's store.
  public static let appleProtectedMPEG4Video = UTType(known: "com.apple.m4v-video")
  /// A QuickTime film.
  public static let quickTimeMovie = UTType(known: "com.apple.quicktime-movie")
  /// An AVI film.
  public static let avi = UTType(known: "public.avi")
}
