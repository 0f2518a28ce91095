/// The index of the log, in memory: the stored notifications by device, app and kind, and sequence.
///
/// The rows are in sorted leaves, whose arrays grow in small steps, so a row takes up about 30 bytes. A leaf that loses
/// most of its rows is merged with its neighbor.
struct NotificationIndex {
  private struct Leaf {
    /// The device of the first row.
    var device: UInt64
    /// A code that is at most that of each row that expires.
    var expirationMin: UInt32
    var rows: [PackedRow]
  }

  /// A place in the index, which is valid until the index changes: a row, or the end of a leaf.
  struct Place {
    fileprivate var leaf: Int
    fileprivate var row: Int
  }

  /// The maximum number of rows in a leaf: inserting a row moves 3 KB on average.
  private static let leafRowsMax = 256
  /// The number of rows below which a leaf is merged with its neighbor.
  private static let leafRowsMin = 96
  /// The maximum number of rows in a merged leaf, so that it is not split again soon.
  private static let mergedRowsMax = 192

  /// The leaves in order; none is empty.
  private var leaves: [Leaf] = []
  private var wideSequences: [UInt64: UInt64] = [:]
  private var wideExpirations: [UInt64: Int64] = [:]
  private(set) var names = KeyNames()
  /// The number of rows.
  private(set) var count = 0
  /// The sum of the records' sizes in bytes, each rounded down.
  private(set) var byteCount = 0

  // MARK: Changes

  /// Returns the row of a notification whose record is at `position`, with a number for its app and kind.
  ///
  /// The row must then be inserted. Returns nil if there are no more numbers.
  mutating func makeRow(
    _ key: NotificationKey, sequence: UInt64, position: UInt64, expiration: Int64,
    recordBytes: Int, hasCollapseID: Bool
  ) -> IndexedRow? {
    names.add(app: key.app, kind: key.kind).map { name in
      IndexedRow(
        device: key.device, name: name, sequence: sequence, position: position,
        expiration: expiration, units: IndexedRow.units(ofBytes: recordBytes),
        hasCollapseID: hasCollapseID)
    }
  }

  /// Inserts a row from `makeRow`, or one that `remove` returned after `names` has counted it again.
  mutating func insert(_ row: IndexedRow) {
    let packed = PackedRow(row)
    addWideValues(of: row)
    count += 1
    byteCount += row.byteCount
    guard !leaves.isEmpty else {
      leaves.append(
        Leaf(device: row.device, expirationMin: packed.expirationCode, rows: [packed]))
      return
    }
    var place = lowerBound(row.device, row.name, row.sequence)
    if leaves[place.leaf].rows.count >= Self.leafRowsMax { place = split(at: place) }
    Self.insert(packed, at: place.row, into: &leaves[place.leaf])
  }

  /// Reverses a `remove`.
  mutating func restore(_ row: IndexedRow, of key: NotificationKey) {
    // The number was given back, so the name can have another one now.
    guard let name = names.add(app: key.app, kind: key.kind) else {
      return assertionFailure("a number that was given back is available")
    }
    var row = row
    row.name = name
    insert(row)
  }

  private static func insert(_ row: PackedRow, at index: Int, into leaf: inout Leaf) {
    if leaf.rows.count == leaf.rows.capacity {
      // An array that grows by itself doubles its size.
      leaf.rows.reserveCapacity(leaf.rows.count + max(4, leaf.rows.count / 16))
    }
    leaf.rows.insert(row, at: index)
    if index == 0 { leaf.device = row.device }
    leaf.expirationMin = min(leaf.expirationMin, row.expirationCode)
  }

  private mutating func split(at place: Place) -> Place {
    let rows = leaves[place.leaf].rows
    let minimum = leaves[place.leaf].expirationMin
    // Rows that are appended to a key in order of sequence leave full leaves behind.
    let middle = place.row == rows.count ? rows.count - 1 : rows.count / 2
    let right = Array(rows[middle...])
    leaves[place.leaf].rows = Array(rows[..<middle])
    leaves.insert(
      Leaf(device: right[0].device, expirationMin: minimum, rows: right), at: place.leaf + 1)
    return place.row <= middle
      ? place : Place(leaf: place.leaf + 1, row: place.row - middle)
  }

  /// Removes a row, and returns it; nil if there is no such row.
  mutating func remove(_ key: NotificationKey, sequence: UInt64) -> IndexedRow? {
    guard let name = names.number(app: key.app, kind: key.kind) else { return nil }
    let place = row(at: lowerBound(key.device, name, sequence))
    guard let packed = packedRow(at: place) else { return nil }
    let row = unpack(packed)
    guard row.device == key.device, row.name == name, row.sequence == sequence else { return nil }
    leaves[place.leaf].rows.remove(at: place.row)
    removeWideValues(of: row)
    names.remove(name)
    count -= 1
    byteCount -= row.byteCount
    assert(count >= 0 && byteCount >= 0, "no more is removed than was inserted")
    shrink(place.leaf, wasFirst: place.row == 0)
    return row
  }

  /// Replaces a row with a newer one of the same key.
  mutating func replace(_ former: IndexedRow, at place: Place, with row: IndexedRow) {
    assert(former.name == row.name && former.device == row.device, "the rows have the same key")
    assert(former.sequence < row.sequence, "the row is newer")
    removeWideValues(of: former)
    addWideValues(of: row)
    byteCount += row.byteCount - former.byteCount
    let packed = PackedRow(row)
    leaves[place.leaf].rows[place.row] = packed
    leaves[place.leaf].expirationMin = min(
      leaves[place.leaf].expirationMin, packed.expirationCode)
  }

  private mutating func addWideValues(of row: IndexedRow) {
    if row.sequence >= PackedRow.wideSequence { wideSequences[row.position] = row.sequence }
    if PackedRow.code(of: row.expiration) == PackedRow.wideExpiration {
      wideExpirations[row.position] = row.expiration
    }
  }

  private mutating func removeWideValues(of row: IndexedRow) {
    if row.sequence >= PackedRow.wideSequence { wideSequences[row.position] = nil }
    if PackedRow.code(of: row.expiration) == PackedRow.wideExpiration {
      wideExpirations[row.position] = nil
    }
  }

  private mutating func shrink(_ index: Int, wasFirst: Bool) {
    let rows = leaves[index].rows.count
    guard rows > 0 else {
      leaves.remove(at: index)
      if leaves.isEmpty { leaves = [] }
      return
    }
    if wasFirst { leaves[index].device = leaves[index].rows[0].device }
    if rows < Self.leafRowsMin {
      let left = index > 0 ? index - 1 : index
      if left + 1 < leaves.count,
        leaves[left].rows.count + leaves[left + 1].rows.count <= Self.mergedRowsMax
      {
        merge(left)
        return
      }
    }
    if leaves[index].rows.capacity > rows + rows / 16 + 4 {
      leaves[index].rows = Self.exactly(leaves[index].rows)
    }
  }

  private mutating func merge(_ left: Int) {
    let right = leaves.remove(at: left + 1)
    leaves[left].expirationMin = min(leaves[left].expirationMin, right.expirationMin)
    leaves[left].rows = Self.exactly(leaves[left].rows + right.rows)
    // The list of leaves keeps its largest size otherwise.
    if leaves.capacity > leaves.count * 2 + 64 {
      var smaller: [Leaf] = []
      smaller.reserveCapacity(leaves.count + leaves.count / 8)
      smaller += leaves
      leaves = smaller
    }
  }

  private static func exactly(_ rows: [PackedRow]) -> [PackedRow] {
    var copy: [PackedRow] = []
    copy.reserveCapacity(rows.count)
    copy += rows
    return copy
  }

  // MARK: Searches

  /// Returns the row of a notification.
  func row(_ key: NotificationKey, sequence: UInt64) -> IndexedRow? {
    guard let name = names.number(app: key.app, kind: key.kind),
      let packed = packedRow(at: row(at: lowerBound(key.device, name, sequence)))
    else { return nil }
    let row = unpack(packed)
    return row.device == key.device && row.name == name && row.sequence == sequence ? row : nil
  }

  /// Returns the only row of a key, and its place; nil if the key has no row or several rows.
  func only(of key: NotificationKey) -> (Place, IndexedRow)? {
    guard let name = names.number(app: key.app, kind: key.kind) else { return nil }
    let place = row(at: lowerBound(key.device, name, 0))
    guard let packed = packedRow(at: place), packed.device == key.device, packed.name == name
    else { return nil }
    let next = packedRow(at: row(at: Place(leaf: place.leaf, row: place.row + 1)))
    if let next, next.device == key.device, next.name == name { return nil }
    return (place, unpack(packed))
  }

  /// Returns the rows of a key except its `keep` newest ones, in order of sequence.
  func excess(of key: NotificationKey, keep: Int) -> [IndexedRow] {
    guard let name = names.number(app: key.app, kind: key.kind), var place = last(key.device, name)
    else { return [] }
    var kept = 0
    var excess: [IndexedRow] = []
    while let packed = packedRow(at: place), packed.device == key.device, packed.name == name {
      kept += 1
      if kept > keep { excess.append(unpack(packed)) }
      guard let before = before(place) else { break }
      place = before
    }
    excess.reverse()
    return excess
  }

  /// Returns the rows of a key in order of sequence.
  func rows(of key: NotificationKey) -> [IndexedRow] {
    guard let name = names.number(app: key.app, kind: key.kind) else { return [] }
    return rows(key.device, name, after: 0, limit: .max)
  }

  /// Returns at most `limit` rows of a device with a sequence above `after`, in order of sequence.
  func rows(ofDevice device: UInt64, after: UInt64 = 0, limit: Int = .max) -> [IndexedRow] {
    guard after < .max else { return [] }
    // The next place of each key of the device, and its row's sequence.
    var keys: [(sequence: UInt64, place: Place, name: UInt32)] = []
    var name: UInt32 = 0
    while let first = packedRow(at: row(at: lowerBound(device, name, 0))), first.device == device {
      name = first.name + 1
      let place = row(at: lowerBound(device, first.name, after + 1))
      guard let next = packedRow(at: place), next.device == device, next.name == first.name else {
        continue
      }
      keys.append((sequence(of: next), place, first.name))
    }
    if let key = keys.first, keys.count == 1 {
      return rows(device, key.name, after: after, limit: limit)
    }
    return merge(&keys, device, limit: limit)
  }

  /// Returns at most `limit` rows of several keys in order of sequence, from the next row of each key.
  private func merge(
    _ heap: inout [(sequence: UInt64, place: Place, name: UInt32)], _ device: UInt64, limit: Int
  ) -> [IndexedRow] {
    // A sorted array is a heap.
    heap.sort { $0.sequence < $1.sequence }
    var found: [IndexedRow] = []
    while found.count < limit, let first = heap.first, let packed = packedRow(at: first.place) {
      found.append(unpack(packed))
      let place = row(at: Place(leaf: first.place.leaf, row: first.place.row + 1))
      if let next = packedRow(at: place), next.device == device, next.name == first.name {
        heap[0] = (sequence(of: next), place, first.name)
      } else {
        heap[0] = heap[heap.count - 1]
        heap.removeLast()
      }
      var parent = 0
      while parent * 2 + 1 < heap.count {
        var child = parent * 2 + 1
        if child + 1 < heap.count, heap[child + 1].sequence < heap[child].sequence { child += 1 }
        guard heap[child].sequence < heap[parent].sequence else { break }
        heap.swapAt(child, parent)
        parent = child
      }
    }
    return found
  }

  private func rows(
    _ device: UInt64, _ name: UInt32, after: UInt64, limit: Int
  ) -> [IndexedRow] {
    var found: [IndexedRow] = []
    var place = row(at: lowerBound(device, name, after + 1))
    while found.count < limit, let packed = packedRow(at: place), packed.device == device,
      packed.name == name
    {
      found.append(unpack(packed))
      place = row(at: Place(leaf: place.leaf, row: place.row + 1))
    }
    return found
  }

  /// Returns the devices in ascending order.
  func devices() -> [UInt64] {
    var devices: [UInt64] = []
    for leaf in leaves {
      for row in leaf.rows where row.device != devices.last { devices.append(row.device) }
    }
    return devices
  }

  /// Calls `body` with each row.
  func forEach(_ body: (IndexedRow) throws(StorageFailure) -> Void) throws(StorageFailure) {
    for leaf in leaves {
      for row in leaf.rows { try body(unpack(row)) }
    }
  }

  /// Returns the key of a row.
  func key(of row: IndexedRow) -> NotificationKey {
    let (app, kind) = names.name(row.name)
    return NotificationKey(device: row.device, app: app, kind: kind)
  }

  /// Returns at most `limit` of the rows that expire before a time, earliest expiration first.
  ///
  /// The search reads the rows of a leaf only if one of them might have expired: a million rows take a millisecond.
  mutating func expired(before second: Int64, limit: Int) -> [IndexedRow] {
    let bound = UInt32(clamping: second)
    var found: [IndexedRow] = []
    let most = min(limit, 1 << 20)
    let isEarlier = { (one: IndexedRow, other: IndexedRow) in
      (one.expiration, one.sequence) < (other.expiration, other.sequence)
    }
    for index in leaves.indices
    where leaves[index].expirationMin < bound
      || leaves[index].expirationMin == PackedRow.wideExpiration
    {
      var minimum = PackedRow.never
      for packed in leaves[index].rows {
        let code = packed.expirationCode
        minimum = min(minimum, code)
        guard code < bound || code == PackedRow.wideExpiration else { continue }
        let row = unpack(packed)
        if row.expiration < second { found.append(row) }
      }
      leaves[index].expirationMin = minimum
      if limit <= most, found.count > most * 4 + 1_024 {
        found.sort(by: isEarlier)
        found.removeLast(found.count - most)
      }
    }
    found.sort(by: isEarlier)
    return Array(found.prefix(limit))
  }

  // MARK: Places

  /// Returns the row at a place; nil at the end.
  private func packedRow(at place: Place) -> PackedRow? {
    guard place.leaf < leaves.count, place.row < leaves[place.leaf].rows.count else { return nil }
    return leaves[place.leaf].rows[place.row]
  }

  /// Returns the place of the row at or after a place: the end of a leaf is the beginning of the next one.
  private func row(at place: Place) -> Place {
    guard place.leaf + 1 < leaves.count, place.row >= leaves[place.leaf].rows.count else {
      return place
    }
    return Place(leaf: place.leaf + 1, row: 0)
  }

  private func before(_ place: Place) -> Place? {
    if place.row > 0 { return Place(leaf: place.leaf, row: place.row - 1) }
    guard place.leaf > 0 else { return nil }
    return Place(leaf: place.leaf - 1, row: leaves[place.leaf - 1].rows.count - 1)
  }

  /// Returns the place of the newest row of a key, or nil if the key has no rows.
  private func last(_ device: UInt64, _ name: UInt32) -> Place? {
    guard !leaves.isEmpty, let place = before(lowerBound(device, name + 1, 0)) else { return nil }
    return place
  }

  private func sequence(of row: PackedRow) -> UInt64 {
    let code = row.sequenceCode
    if code < PackedRow.wideSequence { return code }
    return wideSequences[row.position] ?? code
  }

  @inline(__always)
  private func isBefore(
    _ row: PackedRow, _ device: UInt64, _ name: UInt32, _ sequence: UInt64
  ) -> Bool {
    if row.device != device { return row.device < device }
    if row.name != name { return row.name < name }
    return self.sequence(of: row) < sequence
  }

  /// Returns the place of the first row that is not before these values; it can be the end of a leaf.
  private func lowerBound(_ device: UInt64, _ name: UInt32, _ sequence: UInt64) -> Place {
    // Find the last leaf whose first row is before the values.
    var low = 0
    var high = leaves.count
    while low < high {
      let middle = (low + high) / 2
      let first = leaves[middle].device
      let isBefore =
        first != device
        ? first < device
        : self.isBefore(leaves[middle].rows[0], device, name, sequence)
      if isBefore { low = middle + 1 } else { high = middle }
    }
    let leaf = max(0, low - 1)
    guard leaf < leaves.count else { return Place(leaf: 0, row: 0) }
    let rows = leaves[leaf].rows
    low = 0
    high = rows.count
    // The numbers of devices are spread evenly, so the row is close to where its share of the leaf ends. Most of the
    // time of a binary search is spent waiting for memory.
    let guess = guess(device, in: leaf, count: high)
    var step = 2
    if isBefore(rows[guess], device, name, sequence) {
      low = guess + 1
      while low + step < high, isBefore(rows[low + step], device, name, sequence) {
        low += step + 1
        step *= 4
      }
      high = min(high, low + step)
    } else {
      high = guess
      while high - step > low, !isBefore(rows[high - step], device, name, sequence) {
        high -= step
        step *= 4
      }
      low = max(low, high - step)
    }
    while low < high {
      let middle = (low + high) / 2
      if isBefore(rows[middle], device, name, sequence) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return Place(leaf: leaf, row: low)
  }

  /// Returns the index at which a device would be if the devices of a leaf had even distances.
  ///
  /// The first devices of this leaf and the next one are in the list of leaves, so the rows are not read.
  @inline(__always)
  private func guess(_ device: UInt64, in leaf: Int, count: Int) -> Int {
    let first = leaves[leaf].device
    guard leaf + 1 < leaves.count, device > first else { return count / 2 }
    let end = leaves[leaf + 1].device
    guard device < end else { return count - 1 }
    let share = Double(device - first) / Double(end - first)
    return min(count - 1, Int(share * Double(count)))
  }

  private func unpack(_ row: PackedRow) -> IndexedRow {
    let code = row.expirationCode
    let expiration =
      switch code {
      case PackedRow.never: Int64.max
      case PackedRow.wideExpiration: wideExpirations[row.position] ?? 0
      default: Int64(code)
      }
    return IndexedRow(
      device: row.device, name: row.name, sequence: sequence(of: row), position: row.position,
      expiration: expiration, units: row.units, hasCollapseID: row.hasCollapseID)
  }

  // MARK: Invariants

  /// The bytes of memory that the leaves take up, with 48 bytes for the head of an array and its allocation.
  var allocatedBytes: Int {
    leaves.reduce(leaves.capacity * MemoryLayout<Leaf>.stride) {
      $0 + 48 + $1.rows.capacity * MemoryLayout<PackedRow>.stride
    }
  }

  /// Asserts that the rows are in order and that the totals match them.
  func checkInvariants() {
    var rows = 0
    var bytes = 0
    var last: IndexedRow?
    for leaf in leaves {
      assert(!leaf.rows.isEmpty && leaf.rows.count <= Self.leafRowsMax, "a leaf has rows")
      assert(leaf.device == leaf.rows.first?.device, "a leaf states its first device")
      for packed in leaf.rows {
        let row = unpack(packed)
        assert(packed.expirationCode >= leaf.expirationMin, "a leaf states its first expiration")
        if let last {
          assert(
            (last.device, last.name, last.sequence) < (row.device, row.name, row.sequence),
            "the rows are in order")
        }
        last = row
        rows += 1
        bytes += row.byteCount
      }
    }
    assert(rows == count && bytes == byteCount, "the totals match the rows")
  }
}
