// Opossum in two minutes: a course, three seats, and two students who want the last one at the same moment.
//
//   dotnet run --project samples/QuickStart                a store in a temporary folder, deleted at the end
//   dotnet run --project samples/QuickStart -- my-store    a store in the folder my-store, which is kept

using Opossum;
using QuickStart;

const string usage = "Usage: dotnet run --project samples/QuickStart [-- FOLDER]";
if (args is ["-h" or "--help" or "-?"])
{
    Console.WriteLine(usage);
    Console.WriteLine("FOLDER is the folder of the store, which is kept. Without it, the store is in a temporary folder, which is deleted.");
    return 0;
}
if (args.Length > 1 || args is ["" or ['-', ..]])
{
    Console.Error.WriteLine(args.Length > 1
        ? $"There are {args.Length} arguments; there is at most one, the folder of the store."
        : $"\"{args[0]}\" is no folder, and there are no options. A folder whose name begins with a hyphen is written ./{args[0]}");
    Console.Error.WriteLine(usage);
    return 1;
}

var folder = args.Length > 0 ? Path.GetFullPath(args[0]) : Directory.CreateTempSubdirectory("opossum-").FullName;
try
{
    await RunAsync(folder);
    return 0;
}
catch (EventStoreException e)
{
    Console.Error.WriteLine(e.Message);
    return 1;
}
finally
{
    if (args.Length == 0)
    {
        Directory.Delete(folder, recursive: true);
        Console.WriteLine("The folder was a temporary one and is gone now. To keep one, name it: dotnet run --project samples/QuickStart "
            + "-- my-store");
    }
}

static async Task RunAsync(string folder)
{
    // A store is a folder. Opening creates it.
    var options = new OpossumOptions { Path = folder };
    options.EventTypes.AddGenerated();
    await using var store = await FileSystemEventStore.OpenAsync(options);
    Console.WriteLine($"The store is the folder {folder}");
    Console.WriteLine();

    // Append an event. When the call returns, the event is flushed to disk and survives a power cut.
    var course = $"cooking-{Guid.NewGuid().ToString("N")[..6]}";
    await store.AppendAsync([new NewEvent(new CourseDefined(course, "Cooking for beginners", Capacity: 3))]);
    Console.WriteLine($"The course {course} is defined: 3 seats.");

    foreach (var student in new[] { "ada", "ben" })
        Console.WriteLine(await SubscribeAsync(store, course, student, await Course.ReadAsync(store, course)));

    // Cleo and Dan look at the same time: each sees one free seat. Then both want it.
    var cleoSees = await Course.ReadAsync(store, course);
    var danSees = await Course.ReadAsync(store, course);
    Console.WriteLine($"cleo sees {cleoSees.FreeSeats} free seat, dan sees {danSees.FreeSeats} free seat. Both subscribe at once:");
    var outcomes = await Task.WhenAll(
        Task.Run(() => SubscribeAsync(store, course, "cleo", cleoSees)),
        Task.Run(() => SubscribeAsync(store, course, "dan", danSees)));
    foreach (var outcome in outcomes)
        Console.WriteLine(outcome);

    var atLast = await Course.ReadAsync(store, course);
    Console.WriteLine($"The course has {atLast.Capacity} seats and {atLast.Students.Count} students: {string.Join(", ", atLast.Students)}.");
    Console.WriteLine();

    ShowFiles(folder);
}

// Read, decide, append; if another event came in between, repeat.
static async Task<string> SubscribeAsync(IEventStore store, string course, string student, Course seen)
{
    while (true)
    {
        if (seen.FreeSeats <= 0)
            return $"  {student}: sorry, the course is full.";
        try
        {
            var result = await store.AppendAsync([new NewEvent(new StudentSubscribed(course, student))], seen.NothingNew);
            return $"  {student}: subscribed, event {result.LastPosition}.";
        }
        catch (AppendConditionFailedException e)
        {
            Console.WriteLine($"  {student}: refused, event {e.ConflictingPosition} came first. Let me read again.");
            seen = await Course.ReadAsync(store, course);
        }
    }
}

static void ShowFiles(string folder)
{
    Console.WriteLine("This is the whole store:");
    ShowTree(new DirectoryInfo(folder), "  ");
    Console.WriteLine();

    var newest = Directory.GetFiles(Path.Combine(folder, "Events"), "*.json", SearchOption.AllDirectories).Max()!;
    Console.WriteLine($"And this is its newest event, {Path.GetRelativePath(folder, newest)}:");
    Console.WriteLine(File.ReadAllText(newest));
}

static void ShowTree(DirectoryInfo folder, string indent)
{
    const int shown = 10;
    var entries = folder.GetFileSystemInfos().OrderBy(entry => entry.Name, StringComparer.Ordinal).ToArray();
    foreach (var entry in entries.TakeLast(shown))
    {
        Console.WriteLine($"{indent}{entry.Name}{(entry is DirectoryInfo ? "/" : "")}");
        if (entry is DirectoryInfo subfolder)
            ShowTree(subfolder, indent + "  ");
    }
    if (entries.Length > shown)
        Console.WriteLine($"{indent}and {entries.Length - shown} before these");
}
