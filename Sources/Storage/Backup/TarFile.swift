public import System
public import Transport

/// One file of a tar archive (POSIX.1-1988's ustar, with GNU's encoding for sizes from 8 GiB).
public struct TarEntry: Sendable, Equatable {
  /// The name of the file, 1 to 100 bytes.
  public var name: String
  /// The length of the content in bytes.
  public var byteCount: Int
  /// The permission bits of the file.
  public var mode: UInt32
  /// The modification time, in seconds since 1970.
  public var modifiedSeconds: Int64

  /// The maximum length of a name in bytes: the size of the header's field.
  public static let nameBytesMax = 100

  static let blockBytes = 512

  /// The header's 512 bytes.
  var header: [UInt8] {
    precondition((1...Self.nameBytesMax).contains(name.utf8.count), "the name fits in the header")
    var block = [UInt8](repeating: 0, count: Self.blockBytes)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { block[offset + index] = byte }
    }
    func octal(_ number: Int64, digits: Int) -> String {
      let text = String(number, radix: 8)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    put(name, at: 0)
    put(octal(Int64(mode), digits: 7), at: 100)
    put(octal(0, digits: 7), at: 108)
    put(octal(0, digits: 7), at: 116)
    if byteCount < 1 << 33 {
      put(octal(Int64(byteCount), digits: 11), at: 124)
    } else {
      block[124] = 0x80
      for index in 0..<8 {
        block[135 - index] = UInt8(truncatingIfNeeded: byteCount >> (index * 8))
      }
    }
    put(octal(modifiedSeconds, digits: 11), at: 136)
    put("        0", at: 148)
    put("ustar\u{0}00", at: 257)
    put(octal(Self.checksum(of: block), digits: 6) + "\u{0}", at: 148)
    return block
  }

  /// Parses an entry from a header.
  ///
  /// Returns nil if the block is not the header of a regular file.
  init?(header block: [UInt8]) {
    guard block.count == Self.blockBytes, block[156] == 0x30 || block[156] == 0 else { return nil }
    func text(_ range: Range<Int>) -> String {
      String(decoding: block[range].prefix { $0 != 0 && $0 != 0x20 }, as: UTF8.self)
    }
    var blank = block
    for index in 148..<156 { blank[index] = 0x20 }
    guard Int64(text(148..<156), radix: 8) == Self.checksum(of: blank),
      let mode = UInt32(text(100..<108), radix: 8),
      let modified = Int64(text(136..<148), radix: 8)
    else { return nil }
    name = String(decoding: block[0..<100].prefix { $0 != 0 }, as: UTF8.self)
    guard !name.isEmpty else { return nil }
    if block[124] == 0x80 {
      let size = block[128..<136].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard size < 1 << 48 else { return nil }
      byteCount = Int(size)
    } else {
      guard let size = Int(text(124..<136), radix: 8), size >= 0 else { return nil }
      byteCount = size
    }
    self.mode = mode
    modifiedSeconds = modified
  }

  init(name: String, byteCount: Int, mode: UInt32, modifiedSeconds: Int64) {
    self.name = name
    self.byteCount = byteCount
    self.mode = mode
    self.modifiedSeconds = modifiedSeconds
  }

  /// Returns the sum of the bytes, with the checksum field counted as spaces.
  private static func checksum(of block: [UInt8]) -> Int64 { block.reduce(0) { $0 + Int64($1) } }
}

/// A writer of a tar archive of regular files.
public final class TarWriter {
  private let file: RandomAccessFile
  private var position = 0
  private let hash = SHA256Context()
  /// The hash of each added file, in order.
  public private(set) var sums: [(name: String, sum: SHA256.Digest)] = []

  /// Begins an archive in a new file at `path` with mode 0600.
  public convenience init(_ path: String) throws(SystemFailure) {
    try FileSystem.write([], to: path, mode: 0o600)
    try self.init(RandomAccessFile(path))
  }

  /// Begins an archive in an empty file.
  public init(_ file: RandomAccessFile) { self.file = file }

  /// Adds a file with this content.
  public func add(
    _ name: String, _ content: [UInt8], mode: UInt32, modifiedSeconds: Int64
  ) throws(SystemFailure) {
    try write(
      TarEntry(
        name: name, byteCount: content.count, mode: mode, modifiedSeconds: modifiedSeconds
      ).header)
    try write(content)
    try pad()
    sums.append((name, SHA256.hash(content)))
  }

  /// Adds the file at `path`.
  public func add(
    _ name: String, contentsOf path: String, mode: UInt32, modifiedSeconds: Int64
  ) throws(SystemFailure) {
    try add(
      name, contentsOf: RandomAccessFile(reading: path), mode: mode,
      modifiedSeconds: modifiedSeconds)
  }

  /// Adds an open file.
  public func add(
    _ name: String, contentsOf source: RandomAccessFile, mode: UInt32, modifiedSeconds: Int64
  ) throws(SystemFailure) {
    let count = try source.byteCount()
    try write(
      TarEntry(name: name, byteCount: count, mode: mode, modifiedSeconds: modifiedSeconds).header)
    var offset = 0
    hash.begin()
    while offset < count {
      let bytes = try source.read(min(Limits.copiedAtOnceBytes, count - offset), at: offset)
      guard !bytes.isEmpty else {
        throw .unusable(text: name, reason: "it was truncated while it was copied")
      }
      try write(bytes)
      hash.update(bytes)
      offset += bytes.count
    }
    try pad()
    sums.append((name, hash.finish()))
  }

  /// Writes the end of the archive, and waits until the entire archive is on disk.
  public func finish() throws(SystemFailure) {
    try write([UInt8](repeating: 0, count: 2 * TarEntry.blockBytes))
    try file.synchronize()
  }

  private func pad() throws(SystemFailure) {
    let rest = position % TarEntry.blockBytes
    if rest > 0 { try write([UInt8](repeating: 0, count: TarEntry.blockBytes - rest)) }
    assert(position % TarEntry.blockBytes == 0, "a file is padded to a full block")
  }

  private func write(_ bytes: [UInt8]) throws(SystemFailure) {
    let failure = unsafe bytes.withUnsafeBytes { bytes -> SystemFailure? in
      do throws(SystemFailure) {
        unsafe try file.write(bytes, at: position)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
    position += bytes.count
  }
}

/// A reader of a tar archive of regular files.
public final class TarReader {
  /// The error for a file that is not a Belfry archive.
  public enum Failure: Error, Equatable {
    /// The archive is truncated, contains files that are not regular files, or has data after its end.
    case damaged
  }

  /// The files in order.
  public let entries: [TarEntry]
  private let file: RandomAccessFile
  private let offsets: [Int]

  /// Reads the headers of the archive at `path`, up to its end.
  public init(_ path: String) throws {
    file = try RandomAccessFile(reading: path)
    let size = try file.byteCount()
    var (entries, offsets): ([TarEntry], [Int]) = ([], [])
    var position = 0
    while true {
      let block = try file.read(TarEntry.blockBytes, at: position)
      guard block.count == TarEntry.blockBytes else { throw Failure.damaged }
      position += TarEntry.blockBytes
      if block.allSatisfy({ $0 == 0 }) {
        try Self.checkEnd(of: file, from: position, to: size)
        break
      }
      guard let entry = TarEntry(header: block), entries.count < Limits.archiveEntriesMax,
        entry.byteCount <= size - position
      else { throw Failure.damaged }
      entries.append(entry)
      offsets.append(position)
      position +=
        (entry.byteCount + TarEntry.blockBytes - 1) / TarEntry.blockBytes
        * TarEntry.blockBytes
    }
    self.entries = entries
    self.offsets = offsets
  }

  /// Throws `.damaged` if `position` is not followed by exactly the end of an archive: two blocks of zeros, and any
  /// further zeros with which tar fills the last record.
  private static func checkEnd(of file: RandomAccessFile, from position: Int, to size: Int) throws {
    let rest = size - position
    guard (TarEntry.blockBytes..<Limits.archiveEndBytesMax).contains(rest),
      try file.read(rest, at: position).allSatisfy({ $0 == 0 })
    else { throw Failure.damaged }
  }

  /// Returns the content of a small file, or nil if the archive has no file with that name or if the content is longer
  /// than `limit`.
  public func content(of name: String, limit: Int) throws(SystemFailure) -> [UInt8]? {
    guard let index = entries.firstIndex(where: { $0.name == name }),
      entries[index].byteCount <= limit
    else { return nil }
    return entries[index].byteCount == 0
      ? [] : try file.read(entries[index].byteCount, at: offsets[index])
  }

  /// Extracts a file from the archive to a new file with the given mode; the new file is on disk when the call returns.
  ///
  /// Returns the hash of the written bytes.
  @discardableResult
  public func extract(
    _ name: String, to path: String, mode: UInt32
  ) throws(SystemFailure) -> SHA256.Digest {
    let hash = SHA256Context()
    hash.begin()
    guard let index = entries.firstIndex(where: { $0.name == name }) else { return hash.finish() }
    try FileSystem.write([], to: path, mode: mode)
    let target = try RandomAccessFile(path)
    var offset = 0
    while offset < entries[index].byteCount {
      let bytes = try file.read(
        min(Limits.copiedAtOnceBytes, entries[index].byteCount - offset),
        at: offsets[index] + offset)
      guard !bytes.isEmpty else { throw .unusable(text: path, reason: "the archive is truncated") }
      let failure = unsafe bytes.withUnsafeBytes { bytes -> SystemFailure? in
        do throws(SystemFailure) {
          unsafe try target.write(bytes, at: offset)
          return nil
        } catch {
          return error
        }
      }
      if let failure { throw failure }
      hash.update(bytes)
      offset += bytes.count
    }
    assert(offset == entries[index].byteCount, "the entire file was hashed")
    try target.synchronize()
    return hash.finish()
  }
}
