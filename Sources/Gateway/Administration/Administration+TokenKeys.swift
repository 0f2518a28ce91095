internal import BelfryWire
internal import Storage
internal import System

/// Requests that rotate the key that seals device tokens.
extension Administration {
  func listTokenKeys() throws(StorageFailure) -> AdministrationAnswer {
    do {
      return .success(try lines(folder.tokenKeys()))
    } catch {
      return try Self.broken(error)
    }
  }

  /// Creates a key in two steps: first, every loop receives the key and can open tokens with it; then, the loops begin
  /// to seal tokens with it.
  ///
  /// In this order, no loop ever receives a token that it can't open.
  func rotateTokenKey() throws(StorageFailure) -> AdministrationAnswer {
    do {
      let former = try folder.tokenKeys()
      guard former.count < Limits.tokenKeysMax else {
        return .failure(
          .init(
            .conflict,
            "there are already \(former.count) token keys, and each token is tried with all of them",
            do: "retire one with 'belfry token-key retire'"))
      }
      // The file changes before the store, so make sure that the store accepts the change.
      try store.probe()
      let new = SystemRandom.bytes(32)
      for keys in [former + [new], [new] + former] { try put(keys) }
      return .success(try lines([new] + former))
    } catch {
      return try Self.broken(error)
    }
  }

  /// Retires a key.
  ///
  /// Without `isForced`, this method succeeds only if no token depends on the key.
  func retireTokenKey(
    _ id: String, isForced: Bool
  ) throws(StorageFailure) -> AdministrationAnswer {
    do {
      var keys = try folder.tokenKeys()
      guard let index = keys.firstIndex(where: { TokenKeys.name(of: $0) == id }) else {
        return .failure(
          .init(.missing, "unknown token key \(id)", do: "see 'belfry token-key list'"))
      }
      guard index > 0 else {
        return .failure(
          .init(
            .conflict, "\(id) is the current token key",
            do: "run 'belfry token-key rotate' first"))
      }
      let count = try counts(keys)[index]
      guard isForced || count == 0 else {
        return .failure(
          .init(
            .conflict, "retiring key \(id) invalidates \(count) \(count == 1 ? "token" : "tokens")",
            do:
              "devices get new tokens when they reconnect, for example after a restart of the gateway; wait until "
              + "'belfry token-key list' shows no tokens for this key, or use --force"))
      }
      try store.probe()
      keys.remove(at: index)
      assert(!keys.isEmpty, "the sealing key is never removed")
      try put(keys)
      return .success(try lines(keys))
    } catch {
      return try Self.broken(error)
    }
  }

  /// Writes the keys to the folder, and then their names to the control store.
  ///
  /// If a gateway is killed between the two writes, it restarts with these keys, because the file is written first.
  private func put(_ keys: [[UInt8]]) throws {
    try folder.write(TokenKeys.file(keys), "token-keys")
    try runtime?.keepSecrets()
    let names = keys.map(TokenKeys.name(of:)).joined(separator: " ")
    try applyEverywhere([.putSetting(name: ControlSetting.tokenKeys, value: Array(names.utf8))])
  }

  /// Returns, for each key, the number of valid tokens that were last sealed with it.
  ///
  /// Tokens that an earlier release sealed count toward the oldest key.
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
