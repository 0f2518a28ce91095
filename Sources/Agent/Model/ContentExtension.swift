import BelfryWire

/// A content extension, as described in an app's folder: the program that shows the notifications of some categories.
package struct ContentExtension: Hashable, Sendable {
  /// The absolute path of the extension's program.
  package var executable: String
  /// The identifiers of the extension's categories (`UNNotificationExtensionCategory`).
  var categories: [String]
  /// True if the notification's own text is hidden once the extension shows content
  /// (`UNNotificationExtensionDefaultContentHidden`).
  var hidesDefaultContent = false

  package init(executable: String, categories: [String], hidesDefaultContent: Bool = false) {
    self.executable = executable
    self.categories = categories
    self.hidesDefaultContent = hidesDefaultContent
  }

  /// The record as stored on disk.
  var json: JSONValue {
    [
      "executable": .string(executable), "categories": .array(categories.map(JSONValue.string)),
      "hidesDefaultContent": .bool(hidesDefaultContent),
    ]
  }

  /// Reads a record; nil if it contains no program.
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
  /// Returns the content extension that shows notifications of a category, or nil if none does.
  package func contentExtension(of category: String) -> ContentExtension? {
    guard !category.isEmpty else { return nil }
    return installation?.contentExtensions.first {
      $0.categories.contains { $0.hasSameBytes(as: category) }
    }
  }
}
