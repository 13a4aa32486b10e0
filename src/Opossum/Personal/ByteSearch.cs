using Opossum.FileSystem;

namespace Opossum.Personal;

/// <summary>Finds byte sequences in files of any size, in one buffer.</summary>
internal sealed class ByteSearch
{
    private const int BlockBytes = 1024 * 1024;

    private readonly List<byte[]> forms;
    private readonly int overlap;
    private readonly byte[] buffer;
    private readonly List<int> found = [];

    public ByteSearch(List<byte[]> forms)
    {
        this.forms = forms;
        overlap = forms.Max(static form => form.Length) - 1;
        buffer = new byte[overlap + BlockBytes];
    }

    /// <summary>Reads a file to its end.</summary>
    /// <param name="hit">Called with the offset of each place, ascending.</param>
    /// <param name="proceed">Called for each block; throws to stop.</param>
    /// <returns>The number of bytes.</returns>
    public long Run(IFile file, Action<long> hit, Action proceed)
    {
        var (start, kept) = (0L, 0);
        while (true)
        {
            proceed();
            var read = file.Read(buffer.AsSpan(kept), start + kept);
            var length = kept + read;
            var isEnd = length < buffer.Length;
            // A place that begins in the last bytes may end in the next block, which has them again.
            var limit = isEnd ? length : length - overlap;
            Find(buffer.AsSpan(0, length), limit);
            found.Sort();
            for (var at = 0; at < found.Count; at++)
            {
                // One place can be found in several forms.
                if (at == 0 || found[at] != found[at - 1])
                    hit(start + found[at]);
            }
            found.Clear();
            if (isEnd)
                return start + length;
            buffer.AsSpan(limit, overlap).CopyTo(buffer);
            (start, kept) = (start + limit, overlap);
        }
    }

    private void Find(ReadOnlySpan<byte> bytes, int limit)
    {
        foreach (var form in forms)
        {
            for (var from = 0; from < limit && bytes[from..].IndexOf(form) is >= 0 and var at && from + at < limit; from += at + 1)
                found.Add(from + at);
        }
    }
}
