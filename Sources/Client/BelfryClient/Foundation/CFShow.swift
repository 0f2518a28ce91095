import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Prints an object's description to standard error.
///
/// Foundation on Linux does not export this CoreFoundation function.
public func CFShow(_ object: Any?) {
  let text = object.map { ($0 as? NSObject)?.description ?? "\($0)" } ?? "(null)"
  FileHandle.standardError.write(Data((text + "\n").utf8))
}
