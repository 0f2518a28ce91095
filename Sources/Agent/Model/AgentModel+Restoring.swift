import BelfryWire

extension AgentModel {
  /// Puts back what was kept.
  mutating func onRecordsRestored(_ records: RestoredRecords) {
    func damaged(_ collection: RecordCollection, _ key: String) -> AgentEffect {
      .log(.damagedRecord(collection, key: key))
    }
    for (key, value) in records[.apps] {
      guard let object = (try? JSONValue(parsing: value))?.objectValue,
        let record = LocalApp(json: object)
      else {
        emit(damaged(.apps, key))
        continue
      }
      restore(record)
    }
    for (key, value) in records[.delivered] {
      guard let entry = DeliveredList.Entry(record: value), apps[entry.key.app] != nil else {
        emit(damaged(.delivered, key))
        continue
      }
      delivered.restore(entry)
    }
    for (key, value) in records[.seen] {
      guard let number = UInt64(key), let id = NotificationID(value.span) else { continue }
      seen.restore(id, number: number)
    }
    for (key, value) in records[.responses] { restoreResponse(key: key, record: value) }
    for (key, value) in records[.fetches] { restoreHeld(key: key, record: value) }
    for (key, value) in records[.device] {
      let text = String(decoding: value, as: UTF8.self)
      switch key {
      case "languages": languages = text.split(separator: ",").map(String.init)
      case "location": isLocationOn = text == "on"
      default:
        guard key.hasPrefix("budget/"), let app = AppID(String(key.dropFirst(7))),
          let object = (try? JSONValue(parsing: value))?.objectValue
        else { break }
        budgets[app] = BackgroundBudget(json: object)
      }
    }
    scheduled.restore(records[.schedule], at: now.moment, &effects)
    regions.restore(records[.regions], atAwake: now.awake, &effects)
  }

  /// The ids of the latest pushes, oldest first: the gateway link tells repetitions by them, too.
  var rememberedPushes: [NotificationID] { seen.ids }
}
