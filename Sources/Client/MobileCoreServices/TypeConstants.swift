// Uniform type identifiers by the names that they had before iOS 14. On this system they are plain strings.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Anything.
public let kUTTypeItem: CFString = "public.item"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A document.
public let kUTTypeContent: CFString = "public.content"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Bytes.
public let kUTTypeData: CFString = "public.data"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A folder.
public let kUTTypeFolder: CFString = "public.folder"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A text.
public let kUTTypeText: CFString = "public.text"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A text without format.
public let kUTTypePlainText: CFString = "public.plain-text"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A text without format, in UTF-8.
public let kUTTypeUTF8PlainText: CFString = "public.utf8-plain-text"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A page of the web.
public let kUTTypeHTML: CFString = "public.html"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// An XML file.
public let kUTTypeXML: CFString = "public.xml"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A JSON file.
public let kUTTypeJSON: CFString = "public.json"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A property list.
public let kUTTypePropertyList: CFString = "com.apple.property-list"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A PDF file.
public let kUTTypePDF: CFString = "com.adobe.pdf"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// An address.
public let kUTTypeURL: CFString = "public.url"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The address of a file.
public let kUTTypeFileURL: CFString = "public.file-url"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A picture.
public let kUTTypeImage: CFString = "public.image"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A PNG picture.
public let kUTTypePNG: CFString = "public.png"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A JPEG picture.
public let kUTTypeJPEG: CFString = "public.jpeg"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A GIF picture.
public let kUTTypeGIF: CFString = "com.compuserve.gif"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A TIFF picture.
public let kUTTypeTIFF: CFString = "public.tiff"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A Windows bitmap.
public let kUTTypeBMP: CFString = "com.microsoft.bmp"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Sounds or films.
public let kUTTypeAudiovisualContent: CFString = "public.audiovisual-content"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A sound.
public let kUTTypeAudio: CFString = "public.audio"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// An MP3 sound.
public let kUTTypeMP3: CFString = "public.mp3"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// An MPEG-4 sound.
public let kUTTypeMPEG4Audio: CFString = "public.mpeg-4-audio"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A WAV sound.
public let kUTTypeWaveformAudio: CFString = "com.microsoft.waveform-audio"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// An AIFF sound.
public let kUTTypeAudioInterchangeFileFormat: CFString = "public.aiff-audio"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A film, with or without sound.
public let kUTTypeMovie: CFString = "public.movie"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A film without sound.
public let kUTTypeVideo: CFString = "public.video"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// An MPEG-1 or MPEG-2 film.
public let kUTTypeMPEG: CFString = "public.mpeg"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// An MPEG-2 film.
public let kUTTypeMPEG2Video: CFString = "public.mpeg-2-video"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// An MPEG-4 film.
public let kUTTypeMPEG4: CFString = "public.mpeg-4"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A QuickTime film.
public let kUTTypeQuickTimeMovie: CFString = "com.apple.quicktime-movie"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// An AVI film.
public let kUTTypeAVIMovie: CFString = "public.avi"
