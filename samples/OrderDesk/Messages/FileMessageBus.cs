using System.Text;
using System.Text.Json;

namespace OrderDesk;

/// <summary>A bus whose messages are the lines of a file. A message that was published twice is there twice, with the same id.</summary>
internal sealed class FileMessageBus(string path) : IMessageBus
{
    public async Task PublishAsync(Message message, CancellationToken cancellationToken)
    {
        var line = $"{{\"id\":{JsonSerializer.Serialize(message.Id)},\"type\":{JsonSerializer.Serialize(message.Type)},"
            + $"\"data\":{Encoding.UTF8.GetString(message.Json.Span)}}}\n";
        await using var file = new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read);
        RemoveTornLine(file);
        await file.WriteAsync(Encoding.UTF8.GetBytes(line), cancellationToken);
        file.Flush(flushToDisk: true);
    }

    public string Describe()
    {
        var ids = File.Exists(path) ? [.. File.ReadLines(path).Select(IdOf)] : new List<string>();
        var different = ids.Distinct().Count();
        return $"{ids.Count} messages in {path}, {(different == ids.Count ? "all different" : $"{different} different")}";
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    // A program that ended while it wrote has published nothing, and its event is handled again.
    private static void RemoveTornLine(FileStream file)
    {
        for (file.Position = file.Length; file.Position > 0; file.Position--)
        {
            file.Position--;
            if (file.ReadByte() == '\n')
                break;
        }
        file.SetLength(file.Position);
    }

    private static string IdOf(string line)
    {
        using var message = JsonDocument.Parse(line);
        return message.RootElement.GetProperty("id").GetString()!;
    }
}
