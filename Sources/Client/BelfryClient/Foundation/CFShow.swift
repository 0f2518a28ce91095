import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Prints the object's description to the error output, as the function of CoreFoundation does,
/// which Foundation on Linux does not pass on.
public func CFShow(_ object: Any?) {
  let text = object.map { ($0 as? NSObject)?.description ?? "\($0)" } ?? "(null)"
  FileHandle.standardError.write(Data((text + "\n").utf8))
}
