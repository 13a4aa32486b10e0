namespace Opossum.ProcessTests.Worker;

/// <summary>Looks whether a seat is free, and when told so, takes it unless somebody has.</summary>
internal static class Racer
{
    public static async Task RunAsync(string path)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        Lines.Say("ready");
        while (Lines.Hear() is { } seat)
        {
            var query = Query.FromTags(new Tag("seat", seat));
            var stream = store.ReadAsync(query);
            await foreach (var e in stream)
                throw new InvalidOperationException($"The seat {seat} is taken at {e.Position} before anybody took it.");
            Lines.Say($"free at {stream.Head}");
            var looked = Lines.Hear() == "take if free since" ? stream.Head : (long?)null;
            try
            {
                var taken =
                    await store.AppendAsync([NewEvent.FromJson("seat-taken", "{}", new Tag("seat", seat))], new AppendCondition(query, looked));
                Lines.Say($"taken at {taken.FirstPosition}");
            }
            catch (AppendConditionFailedException e)
            {
                Lines.Say($"lost to {e.ConflictingPosition}");
            }
        }
    }
}
