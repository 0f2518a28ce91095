import UniformTypeIdentifiers

/// A string of Core Foundation: on this system a plain string, so that `as CFString` and `as String` change nothing.
public typealias CFString = String

/// A value whose owner Core Foundation's functions leave to the caller; here it is only a value.
public struct UnmanagedValue<Value> {
  let value: Value

  /// The value.
  public func takeRetainedValue() -> Value { value }

  /// The value.
  public func takeUnretainedValue() -> Value { value }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The class of tags that are extensions of file names.
public let kUTTagClassFilenameExtension: CFString = "public.filename-extension"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The class of tags that are MIME types.
public let kUTTagClassMIMEType: CFString = "public.mime-type"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of the type with a tag; one that no other type has if the tag is not known.
public func UTTypeCreatePreferredIdentifierForTag(
  _ inTagClass: CFString, _ inTag: CFString, _ inConformingToUTI: CFString?
) -> UnmanagedValue<CFString>? {
  let type =
    inTagClass == kUTTagClassMIMEType
    ? UTType(mimeType: inTag) : UTType(filenameExtension: inTag)
  return UnmanagedValue(value: type?.identifier ?? "dyn.\(inTag)")
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The usual tag of a type; nil if it has none.
public func UTTypeCopyPreferredTagWithClass(
  _ inUTI: CFString, _ inTagClass: CFString
) -> UnmanagedValue<CFString>? {
  let type = UTType(inUTI)
  let tag =
    inTagClass == kUTTagClassMIMEType ? type?.preferredMIMEType : type?.preferredFilenameExtension
  return tag.map(UnmanagedValue.init)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether a type is another one, or a kind of it.
public func UTTypeConformsTo(_ inUTI: CFString, _ inConformsToUTI: CFString) -> Bool {
  guard let type = UTType(inUTI), let other = UTType(inConformsToUTI) else {
    return inUTI == inConformsToUTI
  }
  return type.conforms(to: other)
}
