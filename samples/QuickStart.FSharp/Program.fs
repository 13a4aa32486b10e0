/// The program of the README in F#.
module QuickStart.Program

open System.Collections.Generic
open System.IO
open System.Threading.Tasks
open Opossum

[<EventType("course-defined")>]
type CourseDefined = { [<Tag("course")>] CourseId: string; Seats: int }

[<EventType("student-subscribed")>]
type StudentSubscribed = { [<Tag("course")>] CourseId: string; [<Tag("student")>] StudentId: string }

let freeSeats (course: string) =
    DecisionProjection.Create(0, Tag("course", course))
        .On<CourseDefined>(fun (_: int) (defined: CourseDefined) -> defined.Seats)
        .On<StudentSubscribed>(fun (free: int) (_: StudentSubscribed) -> free - 1)

let subscribe (store: IEventStore) (student: string) = task {
    let decide (free: int) : IReadOnlyList<NewEvent> =
        if free > 0 then [| NewEvent({ CourseId = "c1"; StudentId = student }) |] else [||]

    return! store.ExecuteDecisionAsync(freeSeats "c1", decide)
}

let run (folder: string) = task {
    let options = OpossumOptions(Path = folder)
    options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>() |> ignore
    use! store = FileSystemEventStore.OpenAsync(options)
    let! _ = store.AppendAsync(NewEvent({ CourseDefined.CourseId = "c1"; Seats = 2 }))

    // The decision depends on the course and on its subscriptions.
    let query = Query.FromTags(Tag("course", "c1"))
    let events = store.ReadAsync(query)
    let reading = events.GetAsyncEnumerator()
    let mutable free = 0
    let mutable isReading = true

    while isReading do
        let! hasNext = reading.MoveNextAsync()
        isReading <- hasNext

        if hasNext then
            match reading.Current.Data with
            | :? CourseDefined as course -> free <- free + course.Seats
            | :? StudentSubscribed -> free <- free - 1
            | _ -> ()

    do! reading.DisposeAsync()

    // Throws AppendConditionFailedException if an event with the tag course:c1 was appended since the read.
    if free > 0 then
        let first = NewEvent({ CourseId = "c1"; StudentId = "s9" })
        let! _ = store.AppendAsync(first, AppendCondition(query, events.Head))
        ()

    let! subscribed = subscribe store "s1"
    let! refused = subscribe store "s2"
    let! types = store.ReadLastAsync(Query.For<StudentSubscribed>(Tag("student", "s1")))
    return subscribed.Appended.HasValue && not refused.Appended.HasValue && not (isNull types)
}

let folder = Directory.CreateTempSubdirectory("opossum-").FullName

try
    if (run folder).GetAwaiter().GetResult() then
        printfn "Two students have the two seats."
    else
        failwith "The seats and the students do not fit."
finally
    Directory.Delete(folder, true)
