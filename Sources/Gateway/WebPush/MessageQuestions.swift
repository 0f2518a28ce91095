import PushWire
import Storage

/// A sender's question about a Web Push message, on its way to the home of the message's device.
struct MessageQuestion: Sendable {
  let key: NotificationKey
  /// The message's unique ID, which its address contains.
  let uniqueID: NotificationID
  let reply: ReplyAddress
}

/// The answer of a home to a question about a message.
enum MessageAnswer: Sendable {
  case status(WebPushMessageStatus)
  /// Neither the delivery log nor the store has the message.
  case unknown
  /// More questions are asked than the home answers.
  case tooMany
  case storeFailed
}

/// The questions of a home that wait for the store, and the rate at which the home answers questions.
struct MessageQuestions {
  private var waiting: [UInt64: MessageQuestion] = [:]
  private var next: Int64 = 0
  private let rate = RateLimit(perSecond: Limits.messageQuestionsPerSecond)

  /// The number of questions that wait.
  var count: Int { waiting.count }

  /// Returns true if one more question is within the rate, and counts the question if so.
  mutating func admits(at nanoseconds: Int64) -> Bool { rate.admits(&next, at: nanoseconds) }

  /// Adds a question that waits for the store's reply with this ticket.
  mutating func add(_ question: MessageQuestion, ticket: UInt64) {
    assert(waiting[ticket] == nil, "the ticket \(ticket) is new")
    waiting[ticket] = question
  }

  /// Removes the question with this ticket; returns nil if the ticket belongs to another request.
  mutating func remove(_ ticket: UInt64) -> MessageQuestion? {
    waiting.removeValue(forKey: ticket)
  }
}
