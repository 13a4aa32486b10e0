using global::CourseManagement;
using global::CourseManagement.Courses;
using Opossum.Testing;

namespace Opossum.SampleTests.CourseManagement;

/// <summary>The app's decisions in every order of their reads and appends, with the package Opossum.Testing.</summary>
public sealed class RaceTests
{
    private static readonly EventTypeRegistry types = new EventTypeRegistry().AddAssembly(typeof(CourseDefined).Assembly);

    [Fact]
    public async Task Two_students_and_one_seat()
    {
        var report = await Race.Explore(
                new RaceDecision("Ada subscribes", store => SubscribeAsync(store, "cooking", "ada")),
                new RaceDecision("Ben subscribes", store => SubscribeAsync(store, "cooking", "ben")))
            .With(types)
            .Given(new CourseDefined("cooking", "Cooking", 1), new StudentRegistered("ada", "Ada"), new StudentRegistered("ben", "Ben"))
            .Always("no seat is taken twice", events => events.Count(e => e.Data is StudentSubscribed) <= 1)
            .Then("one has it", events => events.Any(e => e.Data is StudentSubscribed))
            .RunAsync();

        Assert.True(report.IsExhaustive);
    }

    [Fact]
    public async Task A_student_and_a_course_that_gets_fewer_seats()
    {
        var report = await Race.Explore(
                new RaceDecision("Ada subscribes", store => SubscribeAsync(store, "cooking", "ada")),
                new RaceDecision("the course gets one seat",
                    store => CourseEndpoints.ChangeCapacityAsync(store, "cooking", new ChangeCapacity(1), CancellationToken.None)))
            .With(types)
            .Given(new CourseDefined("cooking", "Cooking", 2), new StudentRegistered("ada", "Ada"), new StudentRegistered("ben", "Ben"))
            .Given(new StudentSubscribed("cooking", "ben"))
            .Always("nobody subscribes to a full course", events =>
                events.SkipWhile(e => e.Data is not CourseCapacityChanged).All(e => e.Data is not StudentSubscribed))
            .RunAsync();

        Assert.True(report.IsExhaustive);
    }

    private static async Task SubscribeAsync(IEventStore store, string course, string student) =>
        await CourseEndpoints.SubscribeAsync(store, course, new SubscribeStudent(student), CancellationToken.None);
}
