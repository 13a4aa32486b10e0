using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Unicode;

namespace GitHistory;

/// <summary>Reads commits from the output of <c>git log</c> as a stream: at most one commit is in memory.</summary>
/// <remarks>
/// Everything in it is ended by a NUL, the one byte that neither a path nor a message can hold:
/// <code>
/// sha NUL parents NUL author's name NUL e-mail NUL date NUL message NUL
///     { :modes and hashes M NUL path NUL | :modes and hashes R100 NUL old path NUL new path NUL }
/// </code>
/// In names and messages, U+FFFD replaces bytes that are not UTF-8. In paths, which must stay distinct, each such byte is written as git
/// itself writes it: <c>\377</c>.
/// </remarks>
internal static class GitLog
{
    /// <summary>The maximum length of a commit's paths in its event, in characters: one append can hold 64 MiB of tags.</summary>
    public const int PathCharactersMax = 16 * 1024 * 1024;

    public const int MessageCharactersMax = 100_000;

    /// <summary>
    /// The arguments for git, which reads the commits to report from its input. They override the user's configuration of the log's format.
    /// </summary>
    public static IReadOnlyList<string> Arguments { get; } =
    [
        "log", "--stdin", "--no-walk=unsorted", "-z", "--encoding=UTF-8", "--no-show-signature", "--no-color", "--no-ext-diff", "--no-relative",
        "--raw", "--root", "--find-renames", "--ignore-submodules=none",
        // For a merge, only its changes against all of its parents.
        "-c",
        "--format=tformat:%H%x00%P%x00%an%x00%ae%x00%at%x00%B",
    ];

    /// <summary>Returns the commits in the order of the output.</summary>
    /// <exception cref="GitException">The output has another format, or ends in the middle of a commit.</exception>
    public static async IAsyncEnumerable<CommitImported> ReadAsync(Stream output,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        var tokens = new TokenReader(output);
        var sha = await tokens.ReadAsync(cancellationToken);
        while (sha is not null)
        {
            var commit = new CommitImported
            {
                Sha = Sha(sha),
                Parents = Text(await tokens.ReadRequiredAsync(cancellationToken)).Split(' ', StringSplitOptions.RemoveEmptyEntries),
                AuthorName = Text(await tokens.ReadRequiredAsync(cancellationToken)),
                AuthorEmail = Text(await tokens.ReadRequiredAsync(cancellationToken)),
                AuthoredAt = Date(await tokens.ReadRequiredAsync(cancellationToken)),
                Message = Message(await tokens.ReadRequiredAsync(cancellationToken)),
                Changes = [],
            };
            var changes = new List<FileChange>();
            var notNamed = 0;
            var room = PathCharactersMax;
            while ((sha = await tokens.ReadAsync(cancellationToken)) is not null)
            {
                // Between message and changes there is an empty line or an empty token, depending on git's version.
                var change = sha.AsMemory().TrimStart((byte)'\n');
                if (change.IsEmpty)
                    continue;
                if (change.Span[0] != ':')
                    break;
                var (status, isMerge) = Status(change.Span);
                var path = Path(await tokens.ReadRequiredAsync(cancellationToken));
                var oldPath = status is "R" or "C" && !isMerge ? path : null;
                if (oldPath is not null)
                    path = Path(await tokens.ReadRequiredAsync(cancellationToken));
                room -= path.Length + (oldPath?.Length ?? 0);
                if (room >= 0)
                    changes.Add(new FileChange(status, path, oldPath));
                else
                    notNamed++;
            }
            yield return commit with { Changes = changes, ChangesNotNamed = notNamed };
        }
    }

    private static string Sha(byte[] token) =>
        token.Length is 40 or 64 && token.All(each => char.IsAsciiHexDigitLower((char)each))
            ? Text(token)
            : throw new GitException($"The output of git log is not understood: there is \"{Text(token)}\" where a commit should begin.");

    // ":100644 100644 5716ca5 257cc56 M", and of a merge of two "::100644 100644 100644 5716ca5 257cc56 f761ec1 MM".
    private static (string Status, bool IsMerge) Status(ReadOnlySpan<byte> change)
    {
        var letters = change[(change.LastIndexOf((byte)' ') + 1)..];
        return letters.IsEmpty
            ? throw new GitException($"The output of git log is not understood: \"{Text(change)}\".")
            : (((char)letters[0]).ToString(), change.StartsWith("::"u8));
    }

    private static DateTimeOffset? Date(byte[] token) =>
        long.TryParse(token, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var seconds)
        && seconds >= DateTimeOffset.MinValue.ToUnixTimeSeconds() && seconds <= DateTimeOffset.MaxValue.ToUnixTimeSeconds()
            ? DateTimeOffset.FromUnixTimeSeconds(seconds)
            : null;

    private static string Message(byte[] token)
    {
        var text = Text(token).TrimEnd();
        if (text.Length <= MessageCharactersMax)
            return text;
        return text[..(char.IsHighSurrogate(text[MessageCharactersMax - 1]) ? MessageCharactersMax - 1 : MessageCharactersMax)] + "…";
    }

    private static string Text(ReadOnlySpan<byte> token) => Encoding.UTF8.GetString(token);

    private static string Path(ReadOnlySpan<byte> token)
    {
        if (Utf8.IsValid(token))
            return Text(token);
        var path = new StringBuilder();
        while (!token.IsEmpty)
        {
            if (Rune.DecodeFromUtf8(token, out var rune, out var length) == OperationStatus.Done)
            {
                path.Append(rune);
            }
            else
            {
                foreach (var each in token[..length])
                    path.Append('\\').Append(Convert.ToString(each, 8));
            }
            token = token[length..];
        }
        return path.ToString();
    }

    /// <summary>Splits a stream at its NULs.</summary>
    private sealed class TokenReader(Stream stream)
    {
        private readonly PipeReader reader = PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: 64 * 1024));

        /// <summary>Returns the text up to the next NUL; null at the end.</summary>
        public async ValueTask<byte[]?> ReadAsync(CancellationToken cancellationToken)
        {
            while (true)
            {
                var read = await reader.ReadAsync(cancellationToken);
                if (read.Buffer.PositionOf((byte)0) is { } nul)
                {
                    var token = read.Buffer.Slice(0, nul).ToArray();
                    reader.AdvanceTo(read.Buffer.GetPosition(1, nul));
                    return token;
                }
                if (read.IsCompleted)
                    return read.Buffer.IsEmpty ? null : throw new GitException("The output of git log ends in the middle of a commit.");
                reader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
            }
        }

        public async ValueTask<byte[]> ReadRequiredAsync(CancellationToken cancellationToken) =>
            await ReadAsync(cancellationToken) ?? throw new GitException("The output of git log ends in the middle of a commit.");
    }
}
