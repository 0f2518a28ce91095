import UniformTypeIdentifiers

/// A Core Foundation string.
///
/// On this system, the type is the same as `String`, so the casts `as CFString` and `as String` have no effect.
public typealias CFString = String

/// A value that a Core Foundation function returns.
///
/// On Apple's systems, the caller manages the memory of the value. On this system, no management is needed.
public struct UnmanagedValue<Value> {
  let value: Value

  /// Returns the value, which does not have to be released on this system.
  public func takeRetainedValue() -> Value { value }

  /// Returns the value, which does not have to be retained on this system.
  public func takeUnretainedValue() -> Value { value }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The class of tags for file name extensions.
public let kUTTagClassFilenameExtension: CFString = "public.filename-extension"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The class of tags for MIME types.
public let kUTTagClassMIMEType: CFString = "public.mime-type"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the identifier of the type with the given tag.
///
/// If the tag is unknown, the identifier is `dyn.` followed by the tag.
public func UTTypeCreatePreferredIdentifierForTag(
  _ inTagClass: CFString, _ inTag: CFString, _ inConformingToUTI: CFString?
) -> UnmanagedValue<CFString>? {
  let type =
    inTagClass == kUTTagClassMIMEType
    ? UTType(mimeType: inTag) : UTType(filenameExtension: inTag)
  return UnmanagedValue(value: type?.identifier ?? "dyn.\(inTag)")
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the preferred tag of a type; nil if the type has none.
public func UTTypeCopyPreferredTagWithClass(
  _ inUTI: CFString, _ inTagClass: CFString
) -> UnmanagedValue<CFString>? {
  let type = UTType(inUTI)
  let tag =
    inTagClass == kUTTagClassMIMEType ? type?.preferredMIMEType : type?.preferredFilenameExtension
  return tag.map(UnmanagedValue.init)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns whether a type is equal to or conforms to another type.
public func UTTypeConformsTo(_ inUTI: CFString, _ inConformsToUTI: CFString) -> Bool {
  guard let type = UTType(inUTI), let other = UTType(inConformsToUTI) else {
    return inUTI == inConformsToUTI
  }
  return type.conforms(to: other)
}
