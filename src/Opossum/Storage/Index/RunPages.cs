using Opossum.FileSystem;

namespace Opossum.Storage.Index;

/// <summary>The pages of a run in memory.</summary>
internal sealed class RunPages
{
    private readonly List<byte[]?> pages = [];

    public void Write(ReadOnlySpan<byte> page, long offset)
    {
        var number = (int)(offset / RunPage.Length);
        while (pages.Count <= number)
            pages.Add(null);
        pages[number] = page.ToArray();
    }

    public bool TryRead(int number, byte[] page)
    {
        if (number >= pages.Count || pages[number] is not { } known)
            return false;
        known.CopyTo(page, 0);
        return true;
    }

    public bool IsEqualTo(IFile file)
    {
        var there = new byte[RunPage.Length];
        for (var number = 0; number < pages.Count; number++)
        {
            if (file.Read(there, number * (long)RunPage.Length) < there.Length || !there.AsSpan().SequenceEqual(pages[number]))
                return false;
        }
        return true;
    }

    public void CopyTo(RunOutput output)
    {
        for (var number = 0; number < pages.Count; number++)
            output(pages[number], number * (long)RunPage.Length);
    }
}
