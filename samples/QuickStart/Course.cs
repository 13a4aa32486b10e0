using Opossum;

namespace QuickStart;

/// <summary>The state of one course from its events, and the append condition that protects a decision based on it.</summary>
public sealed record Course(int Capacity, IReadOnlyList<string> Students, AppendCondition NothingNew)
{
    public int FreeSeats => Capacity - Students.Count;

    public static async Task<Course> ReadAsync(IEventStore store, string course)
    {
        var query = Query.FromTags(new Tag("course", course));
        var stream = store.ReadAsync(query);
        var capacity = 0;
        var students = new List<string>();
        await foreach (var e in stream)
        {
            switch (e.Data)
            {
                case CourseDefined defined:
                    capacity = defined.Capacity;
                    break;
                case StudentSubscribed subscribed:
                    students.Add(subscribed.Student);
                    break;
            }
        }
        // "Append only if no event of this course has been added since I looked." Events of other courses do not conflict.
        return new Course(capacity, students, new AppendCondition(query, After: stream.Head));
    }
}
