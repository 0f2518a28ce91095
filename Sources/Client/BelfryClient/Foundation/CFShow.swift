import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Prints an object's description to standard error.
///
/// This function of CoreFoundation is not exported by Foundation on Linux.
public func CFShow(_ object: Any?) {
  let text = object.map { ($0 as? NSObject)?.description ?? "\($0)" } ?? "(null)"
  FileHandle.standardError.write(Data((text + "\n").utf8))
}
