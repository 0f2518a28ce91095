// Uniform type identifiers under the names that they had before iOS 14. On this system, they are plain strings.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of the base type of all items.
public let kUTTypeItem: CFString = "public.item"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of the base type of documents.
public let kUTTypeContent: CFString = "public.content"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of the base type of data.
public let kUTTypeData: CFString = "public.data"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of folders.
public let kUTTypeFolder: CFString = "public.folder"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of the base type of text.
public let kUTTypeText: CFString = "public.text"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of plain text.
public let kUTTypePlainText: CFString = "public.plain-text"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of plain text in UTF-8.
public let kUTTypeUTF8PlainText: CFString = "public.utf8-plain-text"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of HTML documents.
public let kUTTypeHTML: CFString = "public.html"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of XML documents.
public let kUTTypeXML: CFString = "public.xml"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of JSON documents.
public let kUTTypeJSON: CFString = "public.json"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of property lists.
public let kUTTypePropertyList: CFString = "com.apple.property-list"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of PDF documents.
public let kUTTypePDF: CFString = "com.adobe.pdf"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of URLs.
public let kUTTypeURL: CFString = "public.url"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of file URLs.
public let kUTTypeFileURL: CFString = "public.file-url"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of the base type of images.
public let kUTTypeImage: CFString = "public.image"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of PNG images.
public let kUTTypePNG: CFString = "public.png"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of JPEG images.
public let kUTTypeJPEG: CFString = "public.jpeg"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of GIF images.
public let kUTTypeGIF: CFString = "com.compuserve.gif"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of TIFF images.
public let kUTTypeTIFF: CFString = "public.tiff"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of Windows bitmap images.
public let kUTTypeBMP: CFString = "com.microsoft.bmp"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of the base type of audio and video.
public let kUTTypeAudiovisualContent: CFString = "public.audiovisual-content"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of the base type of audio.
public let kUTTypeAudio: CFString = "public.audio"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of MP3 audio.
public let kUTTypeMP3: CFString = "public.mp3"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of MPEG-4 audio.
public let kUTTypeMPEG4Audio: CFString = "public.mpeg-4-audio"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of WAV audio.
public let kUTTypeWaveformAudio: CFString = "com.microsoft.waveform-audio"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of AIFF audio.
public let kUTTypeAudioInterchangeFileFormat: CFString = "public.aiff-audio"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of the base type of movies, with or without audio.
public let kUTTypeMovie: CFString = "public.movie"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of video without audio.
public let kUTTypeVideo: CFString = "public.video"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of MPEG-1 and MPEG-2 movies.
public let kUTTypeMPEG: CFString = "public.mpeg"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of MPEG-2 video.
public let kUTTypeMPEG2Video: CFString = "public.mpeg-2-video"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of MPEG-4 movies.
public let kUTTypeMPEG4: CFString = "public.mpeg-4"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of QuickTime movies.
public let kUTTypeQuickTimeMovie: CFString = "com.apple.quicktime-movie"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of AVI movies.
public let kUTTypeAVIMovie: CFString = "public.avi"
