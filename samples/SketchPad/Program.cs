// A desktop tool with undo and redo: each change of a sketch is an event, and so are undo and redo. A window with a message loop, as WPF has one,
// shows the sketch and stays alive while the store writes. The loop is the sample's own, so that it runs where there is no desktop.
//
//   dotnet run --project samples/SketchPad                a store in a temporary folder, deleted at the end
//   dotnet run --project samples/SketchPad -- my-store    a store in the folder my-store, which is kept

using Opossum;
using SketchPad;

var folder = args.Length > 0 ? Path.GetFullPath(args[0]) : Directory.CreateTempSubdirectory("opossum-").FullName;
try
{
    MessageLoop.Run(loop => RunAsync(loop, folder));
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
        Directory.Delete(folder, recursive: true);
}

static async Task RunAsync(MessageLoop loop, string folder)
{
    var options = new OpossumOptions { Path = folder };
    options.EventTypes.Add<ShapeAdded>().Add<ShapeMoved>().Add<ShapeRemoved>().Add<ChangeUndone>().Add<ChangeRedone>();
    await using var store = await FileSystemEventStore.OpenAsync(options);
    const string Name = "house";
    var (pad, window) = (new Pad(store, Name), new Window(loop, Name));
    using var closing = new CancellationTokenSource();
    var showing = window.ShowAsync(store, closing.Token);

    await DoAsync("add the roof", () => pad.AddAsync("roof", 0, 0));
    await DoAsync("add a door", () => pad.AddAsync("door", 2, 5));
    await DoAsync("move the roof", () => pad.MoveAsync("roof", 1, 0));
    await DoAsync("undo", pad.UndoAsync);
    await DoAsync("undo", pad.UndoAsync);
    await DoAsync("redo", pad.RedoAsync);
    await DoAsync("add a window", () => pad.AddAsync("window", 4, 3));
    await DoAsync("redo (nothing)", pad.RedoAsync);

    await closing.CancelAsync();
    try
    {
        await showing;
    }
    catch (OperationCanceledException)
    {
    }
    Console.WriteLine($"{await store.GetHeadAsync()} events; the window handled {loop.Handled} messages, each on one thread.");

    async Task DoAsync(string what, Func<Task> change)
    {
        await change();
        // Not the head: the window sees the events of its sketch only, and the store may have others.
        await window.WaitForAsync((await store.ReadLastAsync(Sketch.Of(Name).Query))?.Position ?? 0);
        Console.WriteLine($"{what,-16}{window}");
    }
}
