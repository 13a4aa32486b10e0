Imports System.Collections.Generic
Imports System.IO
Imports System.Threading.Tasks
Imports Opossum

<EventType("course-defined")>
Public NotInheritable Class CourseDefined
    Public Sub New(courseId As String, seats As Integer)
        Me.CourseId = courseId
        Me.Seats = seats
    End Sub

    <Tag("course")>
    Public ReadOnly Property CourseId As String

    Public ReadOnly Property Seats As Integer
End Class

<EventType("student-subscribed")>
Public NotInheritable Class StudentSubscribed
    Public Sub New(courseId As String, studentId As String)
        Me.CourseId = courseId
        Me.StudentId = studentId
    End Sub

    <Tag("course")>
    Public ReadOnly Property CourseId As String

    <Tag("student")>
    Public ReadOnly Property StudentId As String
End Class

''' <summary>The program of the README in Visual Basic.</summary>
Public Module Program
    Public Sub Main()
        Dim folder = Directory.CreateTempSubdirectory("opossum-").FullName
        Try
            RunAsync(folder).GetAwaiter().GetResult()
            Console.WriteLine("Two students have the two seats.")
        Finally
            Directory.Delete(folder, recursive:=True)
        End Try
    End Sub

    Private Async Function RunAsync(folder As String) As Task
        Dim options As New OpossumOptions With {.Path = folder}
        options.EventTypes.Add(Of CourseDefined)().Add(Of StudentSubscribed)()
        Using store = Await FileSystemEventStore.OpenAsync(options)
            Await store.AppendAsync(New NewEvent(New CourseDefined("c1", 2)))

            ' The decision depends on the course and on its subscriptions.
            Dim query As Query = Query.FromTags(New Tag("course", "c1"))
            Dim events = store.ReadAsync(query)
            Dim free = Await CountFreeAsync(events)

            ' Throws AppendConditionFailedException if an event with the tag course:c1 was appended since the read.
            If free > 0 Then
                Await store.AppendAsync(New NewEvent(New StudentSubscribed("c1", "s9")), New AppendCondition(query, events.Head))
            End If

            Dim subscribed = Await SubscribeAsync(store, "s1")
            Dim refused = Await SubscribeAsync(store, "s2")
            Dim found = Await store.ReadLastAsync(Query.For(Of StudentSubscribed)(New Tag("student", "s1")))
            If Not subscribed.Appended.HasValue OrElse refused.Appended.HasValue OrElse found Is Nothing Then
                Throw New InvalidOperationException("The seats and the students do not fit.")
            End If
        End Using
    End Function

    Private Async Function CountFreeAsync(events As EventStream) As Task(Of Integer)
        Dim free = 0
        Dim reading = events.GetAsyncEnumerator()
        While Await reading.MoveNextAsync()
            Dim course = TryCast(reading.Current.Data, CourseDefined)
            If course IsNot Nothing Then
                free += course.Seats
            ElseIf TypeOf reading.Current.Data Is StudentSubscribed Then
                free -= 1
            End If
        End While
        Await reading.DisposeAsync()
        Return free
    End Function

    Private Function FreeSeats(course As String) As DecisionProjection(Of Integer)
        Return DecisionProjection.Create(0, New Tag("course", course)).
            On(Of CourseDefined)(Function(free As Integer, defined As CourseDefined) defined.Seats).
            On(Of StudentSubscribed)(Function(free As Integer, subscribed As StudentSubscribed) free - 1)
    End Function

    Private Function SubscribeAsync(store As IEventStore, student As String) As Task(Of DecisionResult(Of Integer))
        Return store.ExecuteDecisionAsync(FreeSeats("c1"), Function(free) As IReadOnlyList(Of NewEvent)
                                                               If free > 0 Then
                                                                   Return {New NewEvent(New StudentSubscribed("c1", student))}
                                                               End If
                                                               Return Array.Empty(Of NewEvent)()
                                                           End Function)
    End Function
End Module
