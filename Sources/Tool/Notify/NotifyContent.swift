import BelfryWire
import AppWire
import Foundation
import System

/// The content of a notification from `belfry notify`, parsed from its options.
enum NotifyContent {
  static func read(_ options: CommandLineOptions) throws -> NotificationContent {
    var content = NotificationContent()
    let words = options.positionals
    for (index, key) in ["title", "body"].enumerated()
    where index < words.count && options.value(key) != nil {
      throw UsageError("'\(words[index])' and --\(key) are both the \(key): use one of them")
    }
    content.title = NotificationText(options.value("title") ?? words.first ?? "")
    content.subtitle = NotificationText(options.value("subtitle") ?? "")
    content.body = NotificationText(
      options.value("body") ?? (words.count > 1 ? words[1] : ""))
    content.sound = options.value("sound").map {
      NotificationSound(name: $0 == "default" ? nil : $0)
    }
    content.badge = try options.integer("badge", in: Int64(0)...Int64(Int32.max))
    content.category = options.value("category") ?? ""
    content.thread = options.value("thread") ?? ""
    if let level = try options.choice("level", of: InterruptionLevel.allCases.map(\.rawValue)) {
      content.interruptionLevel = InterruptionLevel(rawValue: level) ?? .active
    }
    if let text = options.value("user-info") {
      guard let object = (try? JSONValue(parsing: text))?.objectValue else {
        throw CommandLineOptions.Problem.badValue(
          key: "user-info", value: text, wanted: "a JSON object, such as '{\"a\":1}'")
      }
      content.userInfo = object
    }
    guard !content.isEmpty || options.isGiven("image") else {
      throw UsageError("nothing to show: add a title, --body, --sound, --badge or --image")
    }
    if let icon = options.value("icon") { content.icon = try self.icon(icon) }
    return content
  }

  /// Returns the absolute path of a readable image.
  private static func icon(_ path: String) throws -> String {
    // Read a byte now, because the agent or the desktop would later silently omit an unreadable image.
    let bytes = try FileSystem.beginning(ofRegularFile: path, count: 8)
    let suffix = path.split(separator: "/").last?.split(separator: ".").last ?? ""
    // Desktops draw more formats than a notification can carry, and recognize them without a suffix.
    guard
      iconSuffixes.contains(suffix.lowercased())
        || pictures.compactMap(Self.format).contains(where: { bytes.starts(with: $0.beginning) })
    else {
      throw CommandLineOptions.Problem.badValue(
        key: "icon", value: path, wanted: "an image file, such as PNG, JPEG or SVG")
    }
    if let type = AttachmentType.identifier(hint: nil, pathExtension: String(suffix)) {
      warn(of: path, bytes, unless: type)
    }
    return FileSystem.absolute(path)
  }

  /// Warns about a file whose first bytes don't match its image type, because the desktop would show no image and
  /// report no error.
  private static func warn(of path: String, _ bytes: [UInt8], unless type: String) {
    guard let format = Self.format(of: type), !bytes.starts(with: format.beginning) else { return }
    Output.error("'\(path)' is not a \(format.name) image", do: "the desktop might not show it")
  }

  /// Returns the name of an image type's format, and the first bytes of its files.
  private static func format(of type: String) -> (name: String, beginning: [UInt8])? {
    switch type {
    case "public.png": ("PNG", [0x89, 0x50, 0x4E, 0x47])
    case "public.jpeg": ("JPEG", [0xFF, 0xD8, 0xFF])
    case "com.compuserve.gif": ("GIF", Array("GIF8".utf8))
    default: nil
    }
  }

  /// Copies an image to the app's attachments; the agent deletes the copy when no notification uses it.
  static func attachment(_ path: String, of app: String) throws -> NotificationAttachment {
    guard !app.contains("/") else {
      throw UsageError("invalid app ID '\(app)': expected a form such as org.example.app")
    }
    let bytes = try FileSystem.readRegularFile(path, limit: imageBytesMax)
    let name = path.split(separator: "/").last ?? ""
    let suffix = name.contains(".") ? name.split(separator: ".").last ?? "" : ""
    let type = AttachmentType.identifier(hint: nil, pathExtension: String(suffix))
    guard let type, pictures.contains(type) else {
      throw CommandLineOptions.Problem.badValue(
        key: "image", value: path, wanted: "a file whose name ends in .png, .jpg, .jpeg or .gif")
    }
    warn(of: path, bytes, unless: type)
    let folder = "\(StateFolders.attachments)/_\(app)"
    let copy = "\(folder)/\(UUID().uuidString.lowercased()).\(suffix.lowercased())"
    try FileSystem.makeDirectories(folder)
    try FileSystem.write(bytes, to: copy, mode: 0o600)
    return NotificationAttachment(id: "image", path: copy, type: type)
  }

  private static let iconSuffixes = [
    "png", "jpg", "jpeg", "gif", "svg", "svgz", "webp", "avif", "heic", "jxl", "bmp", "ico", "tif",
    "tiff", "xpm",
  ]
  private static let pictures = ["public.png", "public.jpeg", "com.compuserve.gif"]
  /// The maximum size of an image, in bytes, which is Apple's limit (client-api 3.49).
  private static let imageBytesMax = 10 << 20
}
