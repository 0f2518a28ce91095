import BelfryWire

/// A content extension, as an app's folder describes it: the program that shows the notifications of some
/// categories.
struct ContentExtension: Hashable, Sendable {
  /// Its program, absolute.
  var executable: String
  /// The identifiers of its categories (`UNNotificationExtensionCategory`).
  var categories: [String]
  /// Whether the notification's own texts go once it shows something
  /// (`UNNotificationExtensionDefaultContentHidden`).
  var hidesDefaultContent = false

  init(executable: String, categories: [String], hidesDefaultContent: Bool = false) {
    self.executable = executable
    self.categories = categories
    self.hidesDefaultContent = hidesDefaultContent
  }

  /// The record as it is kept on disk.
  var json: JSONValue {
    [
      "executable": .string(executable), "categories": .array(categories.map(JSONValue.string)),
      "hidesDefaultContent": .bool(hidesDefaultContent),
    ]
  }

  /// Reads a record; nil when it names no program.
  init?(json: JSONValue) {
    guard let object = json.objectValue, let executable = object["executable"]?.stringValue else {
      return nil
    }
    self.executable = executable
    categories = (object["categories"]?.arrayValue ?? []).compactMap(\.stringValue)
    hidesDefaultContent = object["hidesDefaultContent"]?.boolValue ?? false
  }
}

extension LocalApp {
  /// The content extension that shows notifications of a category; nil where none does.
  func contentExtension(of category: String) -> ContentExtension? {
    guard !category.isEmpty else { return nil }
    return installation?.contentExtensions.first {
      $0.categories.contains { $0.hasSameBytes(as: category) }
    }
  }
}
