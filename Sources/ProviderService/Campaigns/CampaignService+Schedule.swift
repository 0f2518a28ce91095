internal import BelfryWire
internal import Scheduling
internal import Storage
internal import System

/// Operations that start campaigns at their scheduled time.
extension CampaignService {
  /// Returns true if a campaign's time is in the future for every device of its audience.
  func startsLater(
    _ campaign: CampaignRecord, _ document: CampaignDocument
  ) throws(Failure) -> Bool {
    guard let moment = try startMoment(campaign, document) else { return false }
    return moment > Int(clock.unixSeconds)
  }

  /// Returns the earliest time at which a campaign can reach a device, in seconds since 1970, or nil if the campaign
  /// has no time.
  func startMoment(
    _ campaign: CampaignRecord, _ document: CampaignDocument
  ) throws(Failure) -> Int? {
    // Only a wall time depends on the audience, and counting the audience reads its tokens.
    guard case .wall? = document.sendTime.start else {
      return document.sendTime.firstStart(in: [])
    }
    let zones = Set(try shares(of: campaign).map(\.timeZone)).map { name in
      name.flatMap(registry.zones.zone) ?? .utc
    }
    return document.sendTime.firstStart(in: zones)
  }

  /// Returns true if a campaign's time has passed for every device of its audience.
  func hasPassed(
    _ campaign: CampaignRecord, _ document: CampaignDocument
  ) throws(Failure) -> Bool {
    let now = Int(clock.unixSeconds)
    guard case .wall(let wall)? = document.sendTime.start else {
      return document.sendTime.isPast(at: now, inAll: [])
    }
    // Counting the audience reads its tokens, and every zone is less than a day ahead of UTC.
    guard wall - Gregorian.secondsPerDay < now else { return false }
    let zones = Set(try shares(of: campaign).map(\.timeZone)).map { name in
      name.flatMap(registry.zones.zone) ?? .utc
    }
    return document.sendTime.isPast(at: now, inAll: zones)
  }

  /// Throws an error if a campaign's time has passed for every device of its audience.
  func checkTime(
    of campaign: CampaignRecord, _ document: CampaignDocument, _ object: JSONObject
  ) throws(Failure) {
    guard try hasPassed(campaign, document) else { return }
    throw .invalid(RequestProblems([Self.passedTime(object["at"]?.stringValue ?? "")]))
  }

  /// Returns the problem of a campaign whose time has passed for every device.
  static func passedTime(_ text: String) -> RequestProblem {
    RequestProblem(
      "at", "invalid value '\(RequestProblem.excerpt(text))'",
      do: "the time has passed for every device; specify a later time, or omit the time to send "
        + "the campaign now")
  }

  /// Starts the scheduled campaigns whose time has arrived.
  ///
  /// Returns the time, in nanoseconds, until the next check, or nil once the service is shutting down.
  func startDue() -> Int64? {
    if isDraining { return nil }
    let began = SystemClock.monotonicNanoseconds
    var soonest = Int64.max
    let scheduled = (try? registry.store.campaignIDs(in: .scheduled)) ?? []
    for id in scheduled {
      guard let campaign = try? registry.store.campaign(id) else { continue }
      do throws(Failure) {
        let moment = try startMoment(campaign, document(of: campaign)) ?? 0
        // Limit a time in the far future, so that the product cannot overflow. The campaign is checked again long
        // before that time.
        let moments = min(Int64(moment), Int64.max / 1_000)
        let left = moments * 1_000 - clock.compare()
        if left <= 0 {
          try startDue(campaign)
        } else {
          soonest = min(soonest, min(left, Limits.scheduleMillisecondsMax) * 1_000_000)
        }
      } catch {
        log.error("cannot start a campaign", ["campaign": campaign.id, "why": error.text])
      }
    }
    // Counting an audience reads its tokens, so the next count of a large audience is delayed.
    let cost = SystemClock.monotonicNanoseconds - began
    return min(soonest, max(Limits.scheduleNanoseconds, cost * Limits.scheduleRest))
  }

  private func startDue(_ campaign: CampaignRecord) throws(Failure) {
    do throws(Failure) {
      _ = try change(campaign.id, .due)
    } catch {
      switch error {
      // Another request changed the campaign in the meantime; the next check sees its new state.
      case .missing, .conflict, .changed: return
      // Leave the campaign scheduled, because the store might accept writes later.
      case .storage(let failure) where failure.isOfDisk: throw error
      case .invalid, .noService, .unanswered, .storage:
        var failed = campaign
        failed.problem = "could not start at its time: \(error.reason)"
        let known = failed
        log.error("cannot start a campaign", ["campaign": campaign.id, "why": error.text])
        _ = try change(known, .startFailed)
      }
    }
  }
}
