internal import PushWire
internal import Storage

/// The current time, as read from each clock that a campaign uses.
struct CampaignMoment: Hashable, Sendable {
  /// The monotonic clock, in nanoseconds.
  let nanoseconds: Int64
  /// The wall clock, in milliseconds since 1970.
  let unixMilliseconds: Int64
  /// The time in seconds since 1970 on the clock that determines when campaigns are sent (`CampaignClock`).
  let campaignSeconds: Int64
}

/// An action that ``CampaignMachine`` requests from the run that it controls.
enum CampaignAction {
  /// Claim up to this many recipients of a group, and report the result.
  case claim(ZoneGroup, limit: Int)
  /// Write to the store.
  ///
  /// If the write fails, the machine is discarded: a new machine continues from the store's state.
  case write(CampaignWrite)
  /// Send a batch's pushes, and report their answers in the same order.
  case push(batch: Int64, [CampaignAddressee])
  /// Query the delivery log about notifications that were sent after this time, in milliseconds since 1970, and report
  /// the result.
  case readLog(Set<NotificationID>, since: Int64)
  /// Log the reason that the campaign is delayed.
  case warn(String)
}

/// A write to the registry's store that a campaign requests.
enum CampaignWrite {
  /// Store the campaign's state and problem.
  case update(CampaignRecord)
  /// Reduce a batch to its unsettled recipients, and count the outcomes of the others.
  case narrow(CampaignBatch, [CampaignTally], [DeadToken])
  /// Complete a batch, and count its outcomes.
  case finish(CampaignBatch, [CampaignTally], [DeadToken])
  /// Remove the list of recipients of a campaign that is over.
  case removeRecipients
}

/// The next step of a campaign.
enum CampaignStep {
  case act(CampaignAction)
  /// Nothing is due until this time, in monotonic nanoseconds, unless an event arrives.
  case wait(until: Int64)
  /// The run has ended.
  case end
}

/// The recipients of a claimed batch, divided by whether their tokens could be read.
struct ClaimedRecipients {
  var readable: [CampaignAddressee] = []
  /// The text language and the kind of each recipient whose token cannot be read.
  var unreadable: [(language: String, isWebPush: Bool)] = []
}
