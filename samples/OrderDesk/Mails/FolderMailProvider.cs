namespace OrderDesk;

/// <summary>A mail provider whose mails are files in a folder, one for each idempotency key.</summary>
internal sealed class FolderMailProvider(string folder) : IMailProvider
{
    public int Count => Directory.Exists(folder) ? Directory.GetFiles(folder, "*.txt").Length : 0;

    public async Task<bool> SendAsync(Mail mail, string idempotencyKey, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(folder);
        var path = Path.Combine(folder, $"{idempotencyKey}.txt");
        if (File.Exists(path))
            return false;
        // A mail has its name when it is complete: a draft that a crash left is written again.
        var draft = Path.Combine(folder, $"{idempotencyKey}.draft");
        await using (var file = new FileStream(draft, FileMode.Create, FileAccess.Write, FileShare.None))
        {
            await using (var writer = new StreamWriter(file, leaveOpen: true))
                await writer.WriteAsync($"To: {mail.To}\nSubject: {mail.Subject}\n\n{mail.Text}\n".AsMemory(), cancellationToken);
            file.Flush(flushToDisk: true);
        }
        File.Move(draft, path, overwrite: true);
        return true;
    }
}
