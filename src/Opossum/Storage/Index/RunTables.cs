using System.Text;

namespace Opossum.Storage.Index;

/// <summary>The tables of a run: its types, and its tag keys.</summary>
internal static class RunTables
{
    public static long LengthOfTypes(IReadOnlyList<(byte[] Text, int Events)> types) =>
        types.Sum(static type => VarintLength(type.Text.Length) + type.Text.Length + (long)sizeof(uint));

    public static long LengthOfKeys(IReadOnlyList<NameUse> keys) =>
        keys.Sum(static key => VarintLength(Encoding.UTF8.GetByteCount(key.Name)) + Encoding.UTF8.GetByteCount(key.Name) + 2L * sizeof(uint));

    public static void WriteTypes(RunSection section, IReadOnlyList<(byte[] Text, int Events)> types)
    {
        var writer = new ByteWriter();
        foreach (var (text, events) in types)
        {
            writer.Clear();
            writer.WriteVarint(text.Length);
            writer.WriteBytes(text);
            writer.WriteUInt32((uint)events);
            section.Append(writer.Written);
        }
    }

    public static void WriteKeys(RunSection section, IReadOnlyList<NameUse> keys)
    {
        var writer = new ByteWriter();
        foreach (var key in keys)
        {
            writer.Clear();
            writer.WriteText(key.Name);
            writer.WriteUInt32((uint)key.Events);
            writer.WriteUInt32((uint)key.Tags);
            section.Append(writer.Written);
        }
    }

    public static List<(byte[] Text, int Events)> ReadTypes(IndexRun run)
    {
        var types = new List<(byte[] Text, int Events)>();
        var reader = new RunReader(run, run.Header.TypeTablePage, offset: 0);
        while (types.Count < run.Header.TypeCount)
        {
            var text = new byte[run.Checked(reader.ReadVarint(), run.Header.TypeTableLength)];
            reader.Read(text);
            types.Add((text, (int)reader.ReadUInt32()));
        }
        return types;
    }

    public static List<NameUse> ReadKeys(IndexRun run)
    {
        var keys = new List<NameUse>();
        var reader = new RunReader(run, run.Header.KeyTablePage, offset: 0);
        while (reader.Offset < run.Header.KeyTableLength)
        {
            var text = new byte[run.Checked(reader.ReadVarint(), run.Header.KeyTableLength)];
            reader.Read(text);
            keys.Add(new NameUse(Encoding.UTF8.GetString(text)) { Events = reader.ReadUInt32(), Tags = reader.ReadUInt32() });
        }
        return keys;
    }

    private static int VarintLength(int number)
    {
        var length = 1;
        for (; number >= 0x80; number >>= 7)
            length++;
        return length;
    }
}
