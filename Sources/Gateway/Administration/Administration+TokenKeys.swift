internal import BelfryWire
internal import Storage
internal import System

/// The rotation of the key that seals device tokens.
extension Administration {
  func listTokenKeys() throws(StorageFailure) -> AdministrationAnswer {
    do {
      return .success(try lines(folder.tokenKeys()))
    } catch {
      return try Self.broken(error)
    }
  }

  /// Makes a key in two steps: first every loop opens with it, then they seal with it, so that no loop meets a token that it
  /// cannot open.
  func rotateTokenKey() throws(StorageFailure) -> AdministrationAnswer {
    do {
      let former = try folder.tokenKeys()
      guard former.count < Limits.tokenKeysMax else {
        return .failure(
          .init(
            .conflict,
            "there are \(former.count) token keys, and each token is tried with all of them",
            do: "give one up with `belfry token-key retire`"))
      }
      let new = SystemRandom.bytes(32)
      for keys in [former + [new], [new] + former] { try put(keys) }
      return .success(try lines([new] + former))
    } catch {
      return try Self.broken(error)
    }
  }

  /// Gives a key up; without force only where no token needs it.
  func retireTokenKey(
    _ id: String, isForced: Bool
  ) throws(StorageFailure) -> AdministrationAnswer {
    do {
      var keys = try folder.tokenKeys()
      guard let index = keys.firstIndex(where: { TokenKeys.name(of: $0) == id }) else {
        return .failure(
          .init(.missing, "there is no token key \(id)", do: "see `belfry token-key list`"))
      }
      guard index > 0 else {
        return .failure(
          .init(
            .conflict, "\(id) seals the tokens of today",
            do: "make another one first, with `belfry token-key rotate`"))
      }
      let count = try counts(keys)[index]
      guard isForced || count == 0 else {
        return .failure(
          .init(
            .conflict, "\(count) tokens die with the key \(id)",
            do: "wait until their devices have connected, or lose them with --force"))
      }
      keys.remove(at: index)
      assert(!keys.isEmpty, "the sealing key is never given up")
      try put(keys)
      return .success(try lines(keys))
    } catch {
      return try Self.broken(error)
    }
  }

  /// First the file: a gateway that is killed now opens with the same keys again.
  private func put(_ keys: [[UInt8]]) throws {
    try folder.write(TokenKeys.file(keys), "token-keys")
    let names = keys.map(TokenKeys.name(of:)).joined(separator: " ")
    try apply([.putSetting(name: ControlSetting.tokenKeys, value: Array(names.utf8))])
  }

  /// How many good tokens each key has sealed last; those of former releases are the oldest key's.
  private func counts(_ keys: [[UInt8]]) throws(StorageFailure) -> [Int] {
    let known = try store.tokenCounts()
    return keys.indices.map { index in
      let unknown = index == keys.count - 1 ? known[nil] ?? 0 : 0
      return (known[TokenKeys.name(of: keys[index])] ?? 0) + unknown
    }
  }

  private func lines(_ keys: [[UInt8]]) throws(StorageFailure) -> [JSONObject] {
    let counts = try counts(keys)
    return keys.indices.map { index in
      [
        "id": .string(TokenKeys.name(of: keys[index])), "seals": .bool(index == 0),
        "tokens": .integer(Int64(counts[index])),
      ]
    }
  }
}
