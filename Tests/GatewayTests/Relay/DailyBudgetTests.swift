import Storage
import Testing

@testable import Gateway

@Suite struct DailyBudgetTests {
  private typealias Count = DailyBudget<Int>.Count

  /// The row of a key after an addition.
  private func row(_ day: Int64, _ used: Int64) -> BudgetRecord {
    BudgetRecord(key: "KEY0000001", perDay: 3, day: day, used: used)
  }

  private func budget(used: Int64 = 0) -> DailyBudget<Int> {
    DailyBudget(perDay: 3, day: 7, used: used)
  }

  @Test func `A push is granted only after the store has counted it`() {
    var budget = budget()
    #expect(budget.add(1, day: 7) == .waits(Count(day: 7, pushes: 1)))
    #expect(budget.add(2, day: 7) == .waits(nil), "the store is busy with the first push")
    #expect(budget.add(3, day: 7) == .waits(nil))
    #expect(budget.add(4, day: 7) == .exhausted)
    let first = budget.counted(row(7, 1))
    budget.checkInvariants()
    #expect(first.granted == [1] && first.failed.isEmpty && first.exhausted.isEmpty)
    #expect(first.next == Count(day: 7, pushes: 2), "pushes that waited are counted together")
    #expect(budget.counted(row(7, 3)).granted == [2, 3])
    #expect(budget.add(5, day: 7) == .exhausted)
    budget.checkInvariants()
  }

  @Test func `A restart continues with the stored count`() {
    var budget = budget(used: 2)
    #expect(budget.add(1, day: 7) == .waits(Count(day: 7, pushes: 1)))
    #expect(budget.add(2, day: 7) == .exhausted)
  }

  @Test func `A new day has its full budget, and an earlier day has none of its own`() {
    var budget = budget(used: 3)
    #expect(budget.add(1, day: 7) == .exhausted)
    #expect(budget.add(1, day: 8) == .waits(Count(day: 8, pushes: 1)))
    #expect(budget.add(2, day: 7) == .waits(nil), "the clock was set back")
    #expect(budget.counted(row(8, 1)).granted == [1])
    #expect(budget.counted(row(8, 2)).granted == [2])
    budget.checkInvariants()
  }

  @Test func `Pushes that another node has counted are not granted again`() {
    var budget = budget()
    for push in 1...3 { _ = budget.add(push, day: 7) }
    let first = budget.counted(row(7, 3))
    #expect(first.granted == [1], "two pushes of another node and this one are the limit")
    #expect(first.exhausted == [2, 3] && first.next == nil)
    #expect(budget.add(4, day: 7) == .exhausted)
    var other = self.budget()
    _ = other.add(1, day: 7)
    let late = other.counted(row(7, 4))
    #expect(late.granted.isEmpty && late.exhausted == [1])
  }

  @Test func `A failure of the store grants nothing, and the next push is counted again`() {
    var budget = budget()
    for push in 1...2 { _ = budget.add(push, day: 7) }
    let failed = budget.counted(nil)
    #expect(failed.failed == [1] && failed.granted.isEmpty)
    #expect(failed.next == Count(day: 7, pushes: 1))
    #expect(budget.counted(row(7, 2)).granted == [2])
    budget.checkInvariants()
  }

  @Test func `A store that does not answer has a bounded number of pushes`() {
    var budget = DailyBudget<Int>(perDay: .max, day: 7, used: 0)
    for push in 0..<Limits.budgetWaitingMax {
      #expect(budget.add(push, day: 7) != .busy)
    }
    #expect(budget.add(0, day: 7) == .busy)
    budget.checkInvariants()
  }
}
